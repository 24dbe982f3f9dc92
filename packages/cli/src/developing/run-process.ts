import { fork } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Logging } from '../logging/logger.ts'
import type { FromRun, RunOutcome, StartMessage } from './process-messages.ts'
import { type RelayOptions, relayLines } from './relay-lines.ts'

/** The process of one run. */
export interface RunProcess {
  /** How it came to its end, once it has. */
  readonly ended: Promise<RunOutcome>
  /** Whether its end was asked for. */
  readonly isStopping: boolean
  /** Lets it commit what it has read, and ends it where that takes too long. Resolves when it has ended. */
  stop(): Promise<void>
  /** Ends it at once. Resolves when it has ended. */
  end(): Promise<void>
}

export interface RunProcessOptions {
  readonly start: Omit<StartMessage, 'type'>
  readonly logging: Logging
  readonly note: RelayOptions['note']
  print(lines: string): void
  /** These topics have records. */
  onPublished(topics: readonly string[]): void
  /** It continues after this checkpoint, and there was nothing to publish. */
  onNothingNew(checkpoint: unknown): void
}

/** Longer than the grace periods of a run take together, unless it hangs, in ms. */
const stopMs = 12_000
/** How long it may take to hear of it, in ms: longer takes one that is in an endless loop. */
const hearMs = 5000
/** How long it may take to end its own children, in ms. */
const endMs = 500

/**
 * Starts a process in a group of its own: a Ctrl-C on the terminal is for this process, which then stops that one. Its
 * messages come over a channel that closes with this process, however this one ends.
 */
export function startRunProcess(options: RunProcessOptions): RunProcess {
  const { start, logging, note, print } = options
  const child = fork(fileURLToPath(new URL(`./child/main${extname(import.meta.url)}`, import.meta.url)), {
    detached: process.platform !== 'win32',
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const { dir } = start
  relayLines(child.stderr!, { dir, name: 'connector stderr', logging, note })
  relayLines(child.stdout!, { dir, name: 'connector stdout', logging, note })
  let outcome: RunOutcome | undefined
  let isStopping = false
  const heard = Promise.withResolvers<void>()
  child.on('message', (message: FromRun) => {
    if (message.type === 'records') print(message.lines)
    else if (message.type === 'stopping') heard.resolve()
    else if (message.type === 'over') outcome = message.outcome
    else if (message.type === 'published') options.onPublished(message.topics)
    else options.onNothingNew(message.checkpoint)
  })
  const closed = once(child, 'close').catch(() => {})
  const exited = once(child, 'exit').then(async ([code, signal]): Promise<RunOutcome> => {
    // What it wrote last may come after the news of its end; whoever it has started may hold its output open.
    await Promise.race([closed, wait(endMs, undefined, { ref: false })])
    if (isStopping) return outcome ?? { kind: 'stopped' }
    return outcome ?? crashed(code as number | null, signal as NodeJS.Signals | null)
  })
  // A child that cannot receive it is about to end, which its 'exit' event reports.
  child.send({ ...start, type: 'start' } satisfies StartMessage, () => undefined)

  return {
    ended: exited,
    get isStopping() {
      return isStopping
    },
    async stop() {
      isStopping = true
      child.kill('SIGTERM')
      const isHeard = await settlesWithin(Promise.race([heard.promise, exited]), hearMs)
      if (isHeard && (await settlesWithin(exited, stopMs))) return
      logging.log.warn('the connector does not end: killing it')
      await end()
    },
    end,
  }

  /** A second signal ends it at once, with what it has started; what is too busy even for that is killed. */
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
