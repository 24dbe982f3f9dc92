import type { WriteStream } from 'node:tty'

/** What is said while the seeds run. */
export interface Progress extends Disposable {
  /** Prints lines that stay. */
  print(text: string): void
}

/**
 * Shows a line of what has happened so far: on a terminal it changes twice a second, elsewhere one is added every ten
 * seconds.
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
