import xterm from '@xterm/headless'
import type { OutputChunk, TerminalSize } from './recorded-output.ts'
import { type StyledText, styledTexts } from './styled-text.ts'

/** What a line of a terminal showed for a while. Lines are counted from the first one that was ever written. */
export interface LineContent {
  readonly line: number
  readonly texts: readonly StyledText[]
  readonly fromMs: number
  /** Undefined for what stays until the end. */
  readonly untilMs: number | undefined
}

/** A terminal over time. */
export interface TerminalHistory {
  readonly contents: readonly LineContent[]
  /** From when on which line is the first one that is seen. */
  readonly tops: readonly { readonly fromMs: number; readonly line: number }[]
  readonly endMs: number
}

/** Shows output to a terminal and looks at it every tenth of a second, so that what flickers in between is left out. */
export async function terminalHistory(chunks: readonly OutputChunk[], size: TerminalSize): Promise<TerminalHistory> {
  const terminal = new xterm.Terminal({
    cols: size.columns,
    rows: size.rows,
    scrollback: mostLines,
    allowProposedApi: true,
  })
  const shown = new Map<number, Omit<LineContent, 'untilMs'> & { readonly key: string }>()
  const contents: LineContent[] = []
  const tops = [{ fromMs: 0, line: 0 }]

  for (const { atMs, text } of frames(chunks)) {
    await new Promise<void>((resolve) => terminal.write(text, resolve))
    look(atMs)
  }
  for (const { line, texts, fromMs } of shown.values()) contents.push({ line, texts, fromMs, untilMs: undefined })
  terminal.dispose()
  return { contents, tops, endMs: frameAt(chunks.at(-1)?.atMs ?? 0) }

  function look(atMs: number): void {
    const buffer = terminal.buffer.active
    if (buffer.length > mostLines) throw new Error(`A recording may have ${mostLines} lines.`)
    if (buffer.baseY !== tops.at(-1)!.line) tops.push({ fromMs: atMs, line: buffer.baseY })
    for (let line = 0; line < buffer.length; line++) {
      const texts = styledTexts(buffer.getLine(line)!)
      const key = JSON.stringify(texts)
      const before = shown.get(line)
      if (before?.key === key || (!before && texts.length === 0)) continue
      if (before) contents.push({ line, texts: before.texts, fromMs: before.fromMs, untilMs: atMs })
      if (texts.length === 0) shown.delete(line)
      else shown.set(line, { line, texts, fromMs: atMs, key })
    }
  }
}

/** What was written until each moment at which the terminal is looked at. */
function frames(chunks: readonly OutputChunk[]): OutputChunk[] {
  const byFrame = Map.groupBy(chunks, ({ atMs }) => frameAt(atMs))
  return [...byFrame].map(([atMs, group]) => ({ atMs, text: group.map(({ text }) => text).join('') }))
}

const frameMs = 100
const frameAt = (atMs: number): number => Math.ceil(atMs / frameMs) * frameMs
const mostLines = 1000
