import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { HeadraceError } from '@headrace/queue'
import { pino } from 'pino'
import { exitCodeOf, exitCodes } from '../../exit-code.ts'
import { serializeError } from '../../logging/logger.ts'
import { redirectNodeWarnings } from '../../node-warnings.ts'
import { messageOf } from '../../remedy-text.ts'
import type { FromRun, RunOutcome, StartMessage } from '../process-messages.ts'
import { placeInProject } from '../relay-lines.ts'
import { runOnce } from './run-once.ts'

/** 128 + SIGTERM, as in a shell. */
const endedAtOnce = 143
const log = pino({ base: null, serializers: { err: serializeError } }, pino.destination({ fd: 2, sync: true }))
redirectNodeWarnings((warning) => log.warn({ err: warning }, 'warning of Node'))
watchParent()
const signal = listenForStop()
let dir = process.cwd()
process.on('uncaughtException', (error) => void end(failureOf(error)))

const [start] = (await once(process, 'message')) as [StartMessage]
dir = start.dir
await end(await runOnce(start, { log, signal, report: send }).catch(failureOf))

/** The first signal, or the end of the parent process, stops the run in order. A second signal ends it at once. */
function listenForStop(): AbortSignal {
  const controller = new AbortController()
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(endedAtOnce)
    send({ type: 'stopping' })
    controller.abort()
  }
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, stop)
  process.once('disconnect', () => controller.abort())
  return controller.signal
}

function send(message: FromRun, sent: () => void = () => {}): void {
  if (process.connected) process.send!(message, undefined, undefined, sent)
  else sent()
}

async function end(outcome: RunOutcome): Promise<never> {
  await new Promise<void>((resolve) => send({ type: 'over', outcome }, resolve))
  process.exit(outcome.kind === 'failed' ? outcome.exitCode : exitCodes.done)
}

function failureOf(error: unknown): RunOutcome {
  if (error instanceof HeadraceError)
    return { kind: 'failed', code: error.code, message: messageOf(error), exitCode: exitCodeOf(error) }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const place = error instanceof Error ? placeInProject(error.stack, dir) : undefined
  const located = place ? `${place}: ${message}` : message
  return { kind: 'failed', code: 'connector_crashed', message: located, exitCode: exitCodes.bug }
}

/** A worker thread checks, because the connector may block this thread. */
function watchParent(): void {
  const file = new URL(`./parent-watch${extname(import.meta.url)}`, import.meta.url)
  new Worker(file, { execArgv: [], workerData: { parent: process.ppid, graceMs: Number(process.argv[2]) } }).unref()
}
