import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface ProgramOptions {
  /** Called with the number of lines so far; the next one waits for it. */
  onLine?(count: number): unknown
  /** Lines that count. Default: all. */
  isOne?(line: string): boolean
  /** Ends the program after this number of lines. Default: it ends by itself. */
  readonly count?: number
}

/**
 * Runs a program and gives the lines that it prints.
 *
 * @throws {Error} It did not end with 0.
 */
export async function linesOf(
  [file, ...args]: readonly [string, ...string[]],
  { onLine = () => {}, isOne = () => true, count }: ProgramOptions = {},
): Promise<string[]> {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    if (isOne(line)) await onLine(lines.push(line))
    if (lines.length !== count) continue
    child.kill()
    await ended
    return lines
  }
  const [code] = await ended
  if (code !== 0) throw new Error(`${file} ended with ${code} after ${lines.length} lines: ${errors}`)
  return lines
}
