import type { IBufferCell, IBufferLine } from '@xterm/headless'
import { ink, paper } from './palette.ts'

/** Neighbouring cells of one line that look alike. */
export interface StyledText {
  readonly text: string
  readonly column: number
  /** Cells that it takes. */
  readonly width: number
  /** An index of the palette, or `#rrggbb`; undefined is the terminal's own. */
  readonly color: number | string | undefined
  readonly background: number | string | undefined
  readonly bold: boolean
  readonly dim: boolean
  readonly italic: boolean
  readonly underline: boolean
}

/** The texts of a line, from left to right, without blanks that show nothing. */
export function styledTexts(line: IBufferLine): StyledText[] {
  const found: StyledText[] = []
  for (let column = 0; column < line.length; column++) {
    const cell = line.getCell(column)!
    if (cell.getWidth() === 0) continue
    const next = textOf(cell, column)
    const last = found.at(-1)
    if (last && last.column + last.width === column && looksAlike(last, next))
      found[found.length - 1] = { ...last, text: last.text + next.text, width: last.width + next.width }
    else found.push(next)
  }
  return found.map(trimmed).filter(({ text }) => text !== '')
}

function textOf(cell: IBufferCell, column: number): StyledText {
  const colors = [
    cell.isFgDefault() ? undefined : colorOf(cell.isFgRGB(), cell.getFgColor()),
    cell.isBgDefault() ? undefined : colorOf(cell.isBgRGB(), cell.getBgColor()),
  ]
  if (cell.isInverse()) colors.splice(0, 2, colors[1] ?? paper, colors[0] ?? ink)
  return {
    text: cell.getChars() || ' ',
    column,
    width: cell.getWidth(),
    color: colors[0],
    background: colors[1],
    bold: cell.isBold() !== 0,
    dim: cell.isDim() !== 0,
    italic: cell.isItalic() !== 0,
    underline: cell.isUnderline() !== 0,
  }
}

function colorOf(isRgb: boolean, value: number): number | string {
  return isRgb ? `#${value.toString(16).padStart(6, '0')}` : value
}

function looksAlike(a: StyledText, b: StyledText): boolean {
  return looks.every((look) => a[look] === b[look])
}

const looks = ['color', 'background', 'bold', 'dim', 'italic', 'underline'] as const

/** Blanks are seen only by their background or their line. */
function trimmed(one: StyledText): StyledText {
  if (one.background !== undefined || one.underline) return one
  const withoutStart = one.text.trimStart()
  const cut = one.text.length - withoutStart.length
  const text = withoutStart.trimEnd()
  const width = one.width - (one.text.length - text.length)
  return { ...one, text, column: one.column + cut, width }
}
