import type { Writable } from 'node:stream'
import type { WriteStream } from 'node:tty'
import { stripVTControlCharacters } from 'node:util'

/** Standard error, or a stream without a file descriptor in tests. */
export type LogStream = Writable & Partial<Pick<WriteStream, 'isTTY' | 'columns'>> & { readonly fd?: number }

/** A line at the bottom of a terminal that is overwritten, and permanent lines above it. */
export interface StatusLine {
  show(text: string): void
  clear(): void
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
