import type { WriteStream } from 'node:tty'

/** The output while the seeds run. */
export interface Progress extends Disposable {
  /** Prints lines permanently. */
  print(text: string): void
}

/**
 * Shows a status line. On a terminal it is updated twice a second, elsewhere a new one is printed every ten seconds.
 */
export function createProgress(output: Pick<WriteStream, 'write' | 'isTTY' | 'columns'>, line: () => string): Progress {
  const clear = output.isTTY ? '\r\x1b[K' : ''
  const show = (): void => {
    if (output.isTTY) output.write(`${clear}${line().slice(0, (output.columns ?? 80) - 1)}`)
    else output.write(`${line()}\n`)
  }
  const timer = setInterval(show, output.isTTY ? 500 : 10_000)
  return {
    print: (text) => void output.write(`${clear}${text}\n`),
    [Symbol.dispose]() {
      clearInterval(timer)
      output.write(clear)
    },
  }
}
