import { Writable } from 'node:stream'
import { runCli } from '../src/run-cli.ts'

export interface InProcessOptions {
  /** Default: none. */
  readonly variables?: NodeJS.ProcessEnv
  readonly signal?: AbortSignal
  /** Whether the standard output is a terminal. Default false. */
  readonly isTerminal?: boolean
  readonly onOutput?: (text: string) => void
  /** Called with the text of the standard error. */
  readonly onError?: (text: string) => void
}

export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command without a process of its own. */
export async function runInProcess(
  args: readonly string[],
  {
    variables = {},
    signal = new AbortController().signal,
    isTerminal = false,
    onOutput,
    onError,
  }: InProcessOptions = {},
): Promise<CommandResult> {
  const stdout = gather(onOutput)
  const stderr = gather(onError)
  const code = await runCli(args, {
    variables,
    stdin: process.stdin,
    stdout: Object.assign(stdout.stream, { isTTY: isTerminal }),
    stderr: stderr.stream,
    listenForShutdown: () => signal,
    redirectNodeWarnings: () => {},
  })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function gather(onText?: (text: string) => void): { readonly stream: Writable; text(): string } {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(chunk)
      onText?.(chunk.toString())
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString() }
}
