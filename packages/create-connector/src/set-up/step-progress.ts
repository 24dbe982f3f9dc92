export interface ProgressOutput {
  note(line: string): void
  /** Where the step is shown in a line that changes; left out: a line is noted from time to time. */
  readonly terminal?: NodeJS.WritableStream | undefined
}

/** Shows for how long a step has been running, until the returned function is called. */
export function showProgress(step: string, { note, terminal }: ProgressOutput): () => void {
  const started = performance.now()
  const seconds = () => Math.round((performance.now() - started) / 1000)
  if (!terminal) {
    const timer = setInterval(() => note(`${step}still running after ${seconds()} s`), lineEveryMs)
    return () => clearInterval(timer)
  }
  terminal.write(`${step}…`)
  const timer = setInterval(() => terminal.write(`${clearLine}${step}… ${seconds()} s`), 1000)
  return () => {
    clearInterval(timer)
    terminal.write(clearLine)
  }
}

const lineEveryMs = 15_000

const clearLine = '\r\u001b[2K'
