import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as wait } from 'node:timers/promises'
import type { OutputChunk, TerminalSize } from './recorded-output.ts'

export interface TerminalCommand {
  readonly command: string
  readonly folder: string
  readonly size: TerminalSize
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Interrupts the command as Ctrl-C does, some time after its output has matched. Default: it ends by itself. */
  readonly interrupt?: { readonly after: RegExp; readonly laterMs: number }
}

/**
 * Runs a shell command in a pseudo-terminal, by way of `script` of util-linux, and gives what it wrote there and when.
 *
 * @throws {Error} it ended with another exit code than 0, or with 130 where it was interrupted.
 */
export async function runInTerminal(options: TerminalCommand): Promise<OutputChunk[]> {
  const { command, folder, size, environment, interrupt } = options
  const inTerminal = `stty cols ${size.columns} rows ${size.rows}; ${command}`
  const began = performance.now()
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', inTerminal, '/dev/null'], {
    cwd: folder,
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)
  const ended = once(child, 'close').finally(() => process.off('exit', killAtExit))

  const decoder = new StringDecoder('utf8')
  const chunks: OutputChunk[] = []
  let written = ''
  let interrupted = false
  child.stdout.on('data', (bytes: Buffer) => {
    const text = decoder.write(bytes)
    chunks.push({ atMs: performance.now() - began, text })
    written += text
    if (!interrupt || interrupted || !interrupt.after.test(written)) return
    interrupted = true
    void wait(interrupt.laterMs).then(() => child.stdin.write(controlC))
  })
  const [code] = await ended
  if (code === 0 || (interrupted && code === interruptedCode)) return chunks
  throw new Error(`"${command}" ended with exit code ${code}:\n${written}`)
}

const controlC = '\u0003'
/** As shells tell of a command that ended by SIGINT. */
const interruptedCode = 130
