import type { Writable } from 'node:stream'
import type { WriteStream } from 'node:tty'
import { stripVTControlCharacters } from 'node:util'

/** Standard error, or what stands in for it: then without a file descriptor. */
export type LogStream = Writable & Partial<Pick<WriteStream, 'isTTY' | 'columns'>> & { readonly fd?: number }

/** One line at the bottom of a terminal that is written over, and lines above it that stay. */
export interface StatusLine {
  /** Replaces the status. What does not fit the width is cut off. */
  show(text: string): void
  /** Takes the status away. */
  clear(): void
  /** Writes a line above the status. */
  print(line: string): void
}

export function createStatusLine(stream: LogStream): StatusLine {
  const eraseLine = '\r\u001b[K'
  let shown = ''
  return {
    show(text) {
      shown = stripVTControlCharacters(text).slice(0, (stream.columns ?? 80) - 1)
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
