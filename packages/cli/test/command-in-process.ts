import { type Command, CommanderError } from 'commander'
import type { CommandContext } from '../src/command-context.ts'
import { readEnvironment } from '../src/environment.ts'
import { exitCodeOf } from '../src/exit-code.ts'
import { createLogging } from '../src/logging/logger.ts'
import { createProgram } from '../src/program.ts'

export interface InProcessOptions {
  readonly variables?: Readonly<Record<string, string>>
  /** Ends a command that runs until it is stopped. */
  readonly signal?: AbortSignal
  /** Is given the results as they come. */
  readonly onOutput?: (text: string) => void
}

export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command without a process of its own. */
export async function runInProcess(
  args: readonly string[],
  { variables = {}, signal = new AbortController().signal, onOutput }: InProcessOptions = {},
): Promise<CommandResult> {
  const seen = { code: 0, stdout: '', stderr: '' }
  const writeOut = (text: string): void => {
    seen.stdout += text
  }
  const writeErr = (text: string): void => {
    seen.stderr += text
  }
  const tell = (text: string): void => writeErr(`${text}\n`)
  const context: CommandContext = {
    environment: readEnvironment(variables),
    output: {
      async write(chunk) {
        const text = Buffer.from(chunk).toString()
        writeOut(text)
        onOutput?.(text)
      },
    },
    note: tell,
    warn: tell,
    inform: tell,
    suggest: (heading, command) => tell(`${heading}\n${command}`),
    showUsage: writeErr,
    ask: undefined,
    startLogging: () => createLogging(process.stderr),
    shutdownSignal: () => signal,
    exitWith(code) {
      seen.code = code
    },
  }
  const program = createProgram(context)
  silence(program, writeOut)
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    seen.code = exitCodeOf(error)
    // The parser has shown its own.
    if (!(error instanceof CommanderError)) tell(`error: ${(error as Error).message}`)
  }
  return seen
}

/** Help goes to the results too. */
function silence(command: Command, writeOut: (text: string) => void): void {
  command.configureOutput({ ...command.configureOutput(), writeOut })
  for (const one of command.commands) silence(one, writeOut)
}
