import { once } from 'node:events'
import { HeadraceError } from '@headrace/queue'
import { pino } from 'pino'
import { exitCodeOf, exitCodes } from '../../exit-code.ts'
import { serializeError } from '../../logging/serialize-error.ts'
import { redirectNodeWarnings } from '../../node-warnings.ts'
import { placeInProject } from '../place-in-project.ts'
import type { FromRun, RunOutcome, StartMessage } from '../process-messages.ts'
import { runOnce } from './run-once.ts'
import { watchParent } from './watch-parent.ts'

// The process of one run of a connector that is developed. `connector dev` starts it, and talks with it.

/** What a shell shows of a process that SIGTERM has ended. */
const endedAtOnce = 143
const log = pino({ base: null, serializers: { err: serializeError } }, pino.destination({ fd: 2, sync: true }))
redirectNodeWarnings((warning) => log.warn({ err: warning }, 'warning of Node'))
watchParent()
const signal = listenForStop()
let dir = process.cwd()
process.on('uncaughtException', (error) => void end(failureOf(error)))

const [start] = (await once(process, 'message')) as [StartMessage]
dir = start.dir
await end(await runOnce(start, { log, signal, print, report: tell }).catch(failureOf))

/** A first request to stop, or the end of who started this process, is for the run; a second one ends it at once. */
function listenForStop(): AbortSignal {
  const controller = new AbortController()
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(endedAtOnce)
    tell({ type: 'stopping' })
    controller.abort()
  }
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, stop)
  process.once('disconnect', () => controller.abort())
  return controller.signal
}

function print(lines: string): void {
  tell({ type: 'records', lines })
}

/** Where nobody listens any more, there is nobody to be told. */
function tell(message: FromRun, sent: () => void = () => {}): void {
  if (process.connected) process.send!(message, undefined, undefined, sent)
  else sent()
}

async function end(outcome: RunOutcome): Promise<never> {
  await new Promise<void>((resolve) => tell({ type: 'over', outcome }, resolve))
  process.exit(outcome.kind === 'failed' ? outcome.exitCode : exitCodes.done)
}

function failureOf(error: unknown): RunOutcome {
  if (error instanceof HeadraceError)
    return { kind: 'failed', code: error.code, message: error.message, exitCode: exitCodeOf(error) }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const place = error instanceof Error ? placeInProject(error.stack, dir) : undefined
  return {
    kind: 'failed',
    code: 'connector_crashed',
    message: place ? `${place}: ${message}` : message,
    exitCode: exitCodes.bug,
  }
}
