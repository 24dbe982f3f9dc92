import { execFile } from 'node:child_process'
import { emitKeypressEvents, type Key } from 'node:readline'
import type { ReadStream } from 'node:tty'
import { promisify } from 'node:util'

export interface TerminalKeysOptions {
  readonly input: ReadStream
  readonly signal: AbortSignal
  onKey(key: string): void
  /** In raw mode the terminal prints no new line itself. */
  onEnter(): void
}

/** Resolves to whether it listens: the input must be a terminal, and this process in the foreground. */
export async function listenForKeys({ input, signal, onKey, onEnter }: TerminalKeysOptions): Promise<boolean> {
  if (!input.isTTY || !(await isInForeground()) || signal.aborted) return false
  const onKeypress = (_: string | undefined, { name, ctrl }: Key): void => {
    if (ctrl && name === 'c') process.kill(process.pid, 'SIGINT')
    else if (ctrl && name === 'z') suspend()
    else if (name === 'return' || name === 'enter') onEnter()
    else if (name && !ctrl) onKey(name)
  }
  emitKeypressEvents(input)
  input.setRawMode(true).on('keypress', onKeypress).resume()
  process.on('SIGCONT', resume)
  const end = (): void => {
    process.off('SIGCONT', resume)
    input.off('keypress', onKeypress).setRawMode(false).pause()
  }
  signal.addEventListener('abort', end, { once: true })
  return true

  function suspend(): void {
    input.setRawMode(false)
    process.kill(0, 'SIGTSTP')
    // Without a shell the process group is not stopped.
    setImmediate(resume)
  }

  async function resume(): Promise<void> {
    if ((await isInForeground()) && !signal.aborted) input.setRawMode(true)
  }
}

/** The terminal stops a background process that changes its mode. */
async function isInForeground(): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'pgid=,tpgid=', '-p', `${process.pid}`])
    const [group, foreground] = stdout.trim().split(/\s+/)
    return group === foreground
  } catch {
    return false
  }
}
