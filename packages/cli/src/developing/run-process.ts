import { fork } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { FromRun, RunOutcome, StartMessage } from './process-messages.ts'
import { type RelayOptions, relayLines } from './relay-lines.ts'

export interface RunProcess {
  readonly ended: Promise<RunOutcome>
  readonly isStopping: boolean
  /** Lets it commit what it has read, and kills it if that takes too long. */
  stop(): Promise<void>
  end(): Promise<void>
}

export interface RunProcessOptions extends Pick<RelayOptions, 'logging' | 'note'> {
  readonly start: Omit<StartMessage, 'type'>
  onMessage(message: Exclude<FromRun, { type: 'stopping' | 'over' }>): void
  /** Ms to react to the signal. A connector in an endless loop never does. Default: 5000. */
  readonly reactMs?: number
  /** Ms for an orderly end after the end of this process. Default: 15 s. */
  readonly orphanMs?: number
}

/** Ms for an orderly end; more than the grace periods of a run in sum. */
const stopMs = 12_000
/** Ms to end child processes of the connector. */
const endMs = 500

/** In a process group of its own, so that Ctrl-C reaches only this process, which then stops the run. */
export function startRunProcess(options: RunProcessOptions): RunProcess {
  const { start, logging, note, onMessage, reactMs = 5000, orphanMs = 15_000 } = options
  const program = fileURLToPath(new URL(`./child/main${extname(import.meta.url)}`, import.meta.url))
  const child = fork(program, [`${orphanMs}`], {
    detached: process.platform !== 'win32',
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const { dir } = start
  relayLines(child.stderr!, { dir, name: 'connector stderr', logging, note })
  relayLines(child.stdout!, { dir, name: 'connector stdout', logging, note })
  let outcome: RunOutcome | undefined
  let isStopping = false
  const reacted = Promise.withResolvers<void>()
  child.on('message', (message: FromRun) => {
    if (message.type === 'stopping') reacted.resolve()
    else if (message.type === 'over') outcome = message.outcome
    else onMessage(message)
  })
  const closed = once(child, 'close').catch(() => {})
  const exited = once(child, 'exit').then(async ([code, signal]): Promise<RunOutcome> => {
    // Its last output may arrive after `exit`. A process that it has started may hold its output open.
    await Promise.race([closed, wait(endMs, undefined, { ref: false })])
    if (isStopping) return outcome ?? { kind: 'stopped' }
    return outcome ?? crashed(code as number | null, signal as NodeJS.Signals | null)
  })
  child.send({ ...start, type: 'start' } satisfies StartMessage, () => undefined)

  return {
    ended: exited,
    get isStopping() {
      return isStopping
    },
    async stop() {
      isStopping = true
      child.kill('SIGTERM')
      const hasReacted = await settlesWithin(Promise.race([reacted.promise, exited]), reactMs)
      if (hasReacted && (await settlesWithin(exited, stopMs))) return
      logging.log.warn('the connector does not end: killing it')
      await end()
    },
    end,
  }

  /** A second SIGTERM ends a run and its child processes at once, unless it is too busy. */
  async function end(): Promise<void> {
    isStopping = true
    child.kill('SIGTERM')
    if (!(await settlesWithin(exited, endMs))) child.kill('SIGKILL')
    await exited
  }
}

function crashed(code: number | null, signal: NodeJS.Signals | null): RunOutcome {
  const how = signal ? `was ended by ${signal}` : `ended with exit code ${code}`
  return { kind: 'failed', code: 'connector_crashed', message: `The process of the connector ${how}.`, exitCode: 70 }
}

function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return Promise.race([promise.then(() => true), wait(ms, false, { ref: false })])
}
