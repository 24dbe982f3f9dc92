import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/**
 * Runs a program to its end and gives the lines that it prints.
 *
 * @param onLine - Called with the number of lines so far; the next one waits for it.
 * @throws {Error} It did not end with 0.
 */
export async function linesOf(
  [file, ...args]: readonly [string, ...string[]],
  onLine: (count: number) => unknown = () => {},
): Promise<string[]> {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) await onLine(lines.push(line))
  const [code] = await ended
  if (code !== 0) throw new Error(`${file} ended with ${code} after ${lines.length} lines: ${errors}`)
  return lines
}
