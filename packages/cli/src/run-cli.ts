import { createInterface } from 'node:readline/promises'
import type { Writable } from 'node:stream'
import type { ReadStream } from 'node:tty'
import { InvalidProjectError } from '@headrace/catalog'
import { HeadraceError } from '@headrace/queue'
import { CommanderError } from 'commander'
import type { CommandContext } from './command-context.ts'
import { type Environment, readEnvironment } from './environment.ts'
import { type ExitCode, exitCodeOf, exitCodes } from './exit-code.ts'
import { createLogging, createPaint, type Logging, type LogStream, type Paint } from './logging/logger.ts'
import { createOutput, OutputClosedError } from './output/output.ts'
import { packageVersion } from './package-version.ts'
import { createProgram } from './program.ts'
import { messageOf } from './remedy-text.ts'
import type { Traces } from './tracing/start-traces.ts'
import { tracesWanted } from './tracing/traces-wanted.ts'

export interface CliHost {
  readonly variables: Environment['variables']
  readonly stdin: ReadStream
  readonly stdout: Writable & { readonly isTTY?: boolean }
  readonly stderr: LogStream
  listenForShutdown(): AbortSignal
  redirectNodeWarnings(report: (warning: Error) => void): void
}

/** Resolves to the exit code when all results have been written. Never rejects. */
export async function runCli(args: readonly string[], host: CliHost): Promise<ExitCode> {
  const { stdin, stdout, stderr } = host
  let exitCode: ExitCode = exitCodes.done
  // A program that reads the results as JSON also reads errors as JSON.
  const startsWithLog = args.includes('--json') && !stderr.isTTY
  let logging: Logging | undefined = startsWithLog ? createLogging(stderr) : undefined
  let shutdown: AbortSignal | undefined
  let traces: Traces | undefined
  const paint = createPaint(stderr)
  stderr.on('error', () => {}) // A closed standard error is no reason to stop publishing.
  const context: CommandContext = {
    environment: readEnvironment(host.variables),
    output: createOutput(stdout),
    streams: { input: stdin, output: stdout },
    isTerminal: stdout.isTTY === true,
    note: (text) => stderr.write(`${text}\n`),
    warn: (text) => (logging ? logging.log.warn(text) : context.note(paint('yellow', text))),
    inform: (text) => (logging ? logging.log.info(text) : context.note(text)),
    suggest(heading, command) {
      if (logging && !logging.isForPeople) return logging.log.info(`${heading} ${command}`)
      context.inform(heading)
      context.note(paint('bold', command))
    },
    showHelp: (text) => stdout.write(text),
    showUsage: (text) => {
      if (!startsWithLog) stderr.write(text.replace(/^error:/, paint('red', 'error:')))
    },
    ask: stdin.isTTY && stderr.isTTY ? (question) => ask(question, stdin, stderr) : undefined,
    startLogging: (options) => (logging ??= createLogging(stderr, options)),
    async startTraces(service) {
      const { variables } = context.environment
      const { wanted, problem } = tracesWanted(variables)
      if (problem) context.warn(problem)
      if (!wanted) return
      const { log, addFields } = context.startLogging()
      const { startTraces } = await import('./tracing/start-traces.ts')
      traces = startTraces({ variables, service, version: packageVersion(), log })
      addFields(traces.fields)
    },
    shutdownSignal: () => (shutdown ??= host.listenForShutdown()),
    exitWith: (code) => {
      exitCode = code
    },
  }
  host.redirectNodeWarnings((warning) => {
    if (logging) logging.log.warn({ err: warning }, 'warning of Node')
    else context.note(`${paint('yellow', 'warning:')} ${warning.message}`)
  })
  try {
    await createProgram(context).parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    reportError(error, context, logging, paint)
    return exitCodeOf(error)
  } finally {
    await traces?.end()
  }
}

function reportError(error: unknown, { note }: CommandContext, logging: Logging | undefined, paint: Paint): void {
  if (error instanceof OutputClosedError) return
  if (error instanceof CommanderError) {
    if (error.exitCode !== 0) logging?.log.fatal({ code: 'wrong_usage' }, error.message.replace(/^error: /, ''))
    return
  }
  if (error instanceof HeadraceError) {
    if (logging) logging.log.fatal({ code: error.code }, messageOf(error))
    else note(`${headOf(error, paint)}${messageOf(error)} (${error.code})`)
    return
  }
  const sentence = 'This is a bug in the connector command. Please report it with these details.'
  const details = error instanceof Error ? error.stack : String(error)
  if (logging) logging.log.fatal({ err: error }, sentence)
  else note(`${sentence}\n${details}`)
}

/** Editors and CI expect a message about a project to begin with the file and the line. */
function headOf(error: HeadraceError, paint: Paint): string {
  return error instanceof InvalidProjectError ? '' : `${paint('red', 'error:')} `
}

/** Resolves to the answer, which is empty after Ctrl-C or the end of the input. */
async function ask(question: string, input: ReadStream, output: Writable): Promise<string> {
  const lines = createInterface({ input, output })
  const { promise: closed, resolve } = Promise.withResolvers<string>()
  lines.on('SIGINT', () => lines.close())
  lines.on('close', () => resolve(''))
  try {
    return await Promise.race([lines.question(question), closed])
  } finally {
    lines.close()
  }
}
