import { InvalidProjectError } from '@headrace/catalog'
import { HeadraceError } from '@headrace/queue'
import { CommanderError } from 'commander'
import type { CommandContext } from './command-context.ts'
import { readEnvironment } from './environment.ts'
import { type ExitCode, exitCodeOf, exitCodes } from './exit-code.ts'
import { createLogging, type Logging } from './logging/logger.ts'
import { createPaint, type Paint } from './logging/paint.ts'
import { redirectNodeWarnings } from './node-warnings.ts'
import { ask } from './output/ask.ts'
import { createOutput, OutputClosedError } from './output/output.ts'
import { isInPackageScript } from './parent-end.ts'
import { createProgram } from './program.ts'
import { listenForShutdown } from './shutdown.ts'

/**
 * Runs the command with its arguments (without those of Node) and resolves to its exit code, when all results have been
 * written. Never rejects.
 */
export async function runCli(args: readonly string[]): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done
  const environment = readEnvironment()
  const parent = isInPackageScript(environment.variables, args) ? process.ppid : undefined
  // Who reads results as JSON reads what is wrong as JSON too, from the parsing of the arguments on.
  const startsWithLog = args.includes('--json') && !process.stderr.isTTY
  let logging: Logging | undefined = startsWithLog ? createLogging(process.stderr) : undefined
  let shutdown: AbortSignal | undefined
  const paint = createPaint(process.stderr)
  process.stderr.on('error', () => {}) // nobody listens any more: not a reason to stop publishing
  const context: CommandContext = {
    environment,
    output: createOutput(process.stdout),
    note: (text) => process.stderr.write(`${text}\n`),
    warn: (text) => (logging ? logging.log.warn(text) : context.note(paint('yellow', text))),
    inform: (text) => (logging ? logging.log.info(text) : context.note(text)),
    suggest(heading, command) {
      if (logging && !logging.isForPeople) return logging.log.info(`${heading} ${command}`)
      context.inform(heading)
      context.note(paint('bold', command))
    },
    showUsage: (text) => {
      if (!startsWithLog) process.stderr.write(text.replace(/^error:/, paint('red', 'error:')))
    },
    ask:
      process.stdin.isTTY && process.stderr.isTTY
        ? (question) => ask(question, process.stdin, process.stderr)
        : undefined,
    startLogging: (options) => (logging ??= createLogging(process.stderr, options)),
    shutdownSignal: () => (shutdown ??= listenForShutdown(parent)),
    exitWith: (code) => {
      exitCode = code
    },
  }
  redirectNodeWarnings((warning) => {
    if (logging) logging.log.warn({ err: warning }, 'warning of Node')
    else context.note(`${paint('yellow', 'warning:')} ${warning.message}`)
  })
  try {
    await createProgram(context).parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    tell(error, context, { logging, paint })
    return exitCodeOf(error)
  }
}

/** Says why the command ends: in the log where there is one. */
function tell(
  error: unknown,
  { note }: CommandContext,
  { logging, paint }: { readonly logging: Logging | undefined; readonly paint: Paint },
): void {
  if (error instanceof OutputClosedError) return
  if (error instanceof CommanderError) {
    if (error.exitCode !== 0) logging?.log.fatal({ code: 'wrong_usage' }, error.message.replace(/^error: /, ''))
    return
  }
  if (error instanceof HeadraceError) {
    if (logging) logging.log.fatal({ code: error.code }, error.message)
    else note(`${headOf(error, paint)}${error.message} (${error.code})`)
    return
  }
  const sentence = 'This is a bug in the connector command. Please report it with what follows.'
  const details = error instanceof Error ? error.stack : String(error)
  if (logging) logging.log.fatal({ err: error }, sentence)
  else note(`${sentence}\n${details}`)
}

/** Mistakes of a project begin with their places, where editors and CI look for them. */
function headOf(error: HeadraceError, paint: Paint): string {
  return error instanceof InvalidProjectError ? '' : `${paint('red', 'error:')} `
}
