import type { WriteStream } from 'node:tty'
import { stripVTControlCharacters } from 'node:util'

/** One line at the bottom of a terminal that is written over, and lines above it that stay. */
export interface StatusLine {
  /** Replaces the status. What does not fit the width is cut off. */
  show(text: string): void
  /** Takes the status away. */
  clear(): void
  /** Writes a line above the status. */
  print(line: string): void
}

export function createStatusLine(stream: WriteStream): StatusLine {
  const eraseLine = '\r\u001b[K'
  let shown = ''
  return {
    show(text) {
      shown = stripVTControlCharacters(text).slice(0, stream.columns - 1)
      stream.write(eraseLine + shown)
    },
    clear() {
      if (shown) stream.write(eraseLine)
      shown = ''
    },
    print(line) {
      stream.write(shown ? `${eraseLine}${line}\n${shown}` : `${line}\n`)
    },
  }
}
