import { ink, paletteColor, paper } from './palette.ts'
import type { TerminalSize } from './recorded-output.ts'
import type { StyledText } from './styled-text.ts'
import type { TerminalHistory } from './terminal-lines.ts'

export interface SvgOptions {
  readonly size: TerminalSize
  /** For those who do not see it. */
  readonly title: string
}

/**
 * Draws a terminal over time as one SVG that plays itself, again and again, with no script and no font of its own. Each
 * line is drawn once for each content that it had, is shown for as long, and all of them scroll. Where nothing plays,
 * the end is seen.
 */
export function terminalSvg(history: TerminalHistory, { size, title }: SvgOptions): string {
  const durationMs = history.endMs + holdMs
  const animations = createAnimations(durationMs)
  const lines = history.contents.map(({ line, texts, fromMs, untilMs }) => {
    const shown = animations.visible(fromMs, untilMs)
    return `<g class="${shown}">${texts.map((text) => drawText(text, line)).join('')}</g>`
  })
  const scroll = animations.scroll(history.tops.map(({ fromMs, line }) => ({ fromMs, y: -line * lineHeight })))
  const width = size.columns * cellWidth + 2 * padding
  const height = size.rows * lineHeight + 2 * padding + barHeight
  const screen = `x="0" y="${barHeight + padding}" width="${width}" height="${size.rows * lineHeight}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title>
<style>
text{font:${fontSize}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;fill:${ink};white-space:pre}
.b{font-weight:600}.d{opacity:.65}.i{font-style:italic}.u{text-decoration:underline}
${animations.css()}
@media (prefers-reduced-motion:reduce){g{animation:none!important}}
</style>
<clipPath id="screen"><rect ${screen}/></clipPath>
<rect width="${width}" height="${height}" rx="8" fill="${paper}"/>
${buttons()}
<g clip-path="url(#screen)"><g transform="translate(${padding} ${barHeight + padding})"><g class="${scroll}">
${lines.join('\n')}
</g></g></g>
</svg>
`
}

const fontSize = 13
const cellWidth = 7.8
const lineHeight = 18
const padding = 14
const barHeight = 26
/** How long the end stays before it begins again. */
const holdMs = 6000

function buttons(): string {
  const colors = ['#ff5f57', '#febc2e', '#28c840']
  const circles = colors.map((color, index) => `<circle cx="${18 + 18 * index}" cy="18" r="5.5" fill="${color}"/>`)
  return circles.join('')
}

function drawText(one: StyledText, line: number): string {
  const x = round(one.column * cellWidth)
  const width = round(one.width * cellWidth)
  const top = line * lineHeight
  const looks = [one.bold && 'b', one.dim && 'd', one.italic && 'i', one.underline && 'u'].filter(Boolean)
  const fill = one.color === undefined ? '' : ` style="fill:${paletteColor(one.color)}"`
  const behind =
    one.background === undefined
      ? ''
      : `<rect x="${x}" y="${top}" width="${width}" height="${lineHeight}" fill="${paletteColor(one.background)}"/>`
  const attributes = `x="${x}" y="${top + baseline}" textLength="${width}"`
  const classes = looks.length === 0 ? '' : ` class="${looks.join(' ')}"`
  return `${behind}<text ${attributes}${classes}${fill}>${escaped(one.text)}</text>`
}

const baseline = 13
const round = (value: number): number => Math.round(value * 10) / 10

/** Makes the animations, each once, and gives the class of whatever has it. */
function createAnimations(durationMs: number) {
  const rules = new Map<string, string>()
  const percent = (ms: number): string => `${((100 * ms) / durationMs).toFixed(2)}%`
  // What never changes within a keyframe's span jumps at its end.
  const animated = (base: string, keyframes: string): string => {
    const rule = `{${base};animation-name:NAME}@keyframes NAME{${keyframes}}`
    const name = [...rules].find(([, known]) => known === rule)?.[0] ?? `a${rules.size}`
    rules.set(name, rule)
    return name
  }
  return {
    visible(fromMs: number, untilMs: number | undefined): string {
      const keyframes = `0%{visibility:hidden}${percent(fromMs)}{visibility:visible}`
      if (untilMs === undefined) return animated('visibility:visible', keyframes)
      return animated('visibility:hidden', `${keyframes}${percent(untilMs)}{visibility:hidden}`)
    },
    scroll(tops: readonly { readonly fromMs: number; readonly y: number }[]): string {
      const keyframes = tops.map(({ fromMs, y }) => `${percent(fromMs)}{transform:translateY(${y}px)}`)
      return animated(`transform:translateY(${tops.at(-1)!.y}px)`, keyframes.join(''))
    },
    css(): string {
      const all = `[class^=a]{animation:${durationMs / 1000}s step-end infinite}`
      return [all, ...[...rules].map(([name, rule]) => `.${name}${rule.replaceAll('NAME', name)}`)].join('\n')
    },
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
