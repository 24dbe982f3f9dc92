import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { errorReason, type Logger, type NewRecord, type Queue } from '@headrace/queue'
import { packageVersion } from '../package-version.ts'
import {
  beatMs,
  encodeProcess,
  type GatewayFacts,
  type ProcessEnd,
  type ProcessPlace,
  processesTopic,
  type RunFacts,
} from './process-record.ts'
import { readProcesses, staleProcesses } from './read-processes.ts'

export interface AnnounceOptions {
  readonly queue: Queue
  readonly log: Logger
  /** What is true now. */
  facts(): Promise<RunFacts | GatewayFacts> | RunFacts | GatewayFacts
}

export interface Announcement {
  /** Before the queue is closed. Never throws, and waits for the queue for a short time only. */
  end(end: ProcessEnd): Promise<void>
}

/** How often the state is compared with the one that was written. */
const lookMs = 5000
const endMs = 2000

/**
 * Writes a record of this process every 30 s and when its state changes, for `connector status`. The process does not
 * depend on it: a failure is logged once, and the next one is silent.
 */
export function announceProcess({ queue, log, facts }: AnnounceOptions): Announcement {
  const place: ProcessPlace = {
    ...{ id: randomBytes(8).toString('hex'), host: hostname(), pid: process.pid },
    ...{ version: packageVersion(), started: Date.now() },
  }
  let hasTopic = false
  let hasWarned = false
  let written = { state: '', at: 0 }
  let work = Promise.resolve()
  let isBusy = false
  const timer = setInterval(next, lookMs).unref()
  next()

  return {
    async end(ended) {
      clearInterval(timer)
      work = work.then(() => attempt(() => write(ended)))
      await Promise.race([work, wait(endMs, undefined, { ref: false })])
    },
  }

  function next(): void {
    if (isBusy) return
    isBusy = true
    work = work
      .then(() => attempt(look))
      .finally(() => {
        isBusy = false
      })
  }

  async function look(): Promise<void> {
    if (!hasTopic) await begin()
    const { state } = await facts()
    // A new process has more to tell soon.
    const pauseMs = Math.min(beatMs, written.at - place.started)
    if (state !== written.state || Date.now() - written.at >= pauseMs) await write()
  }

  async function begin(): Promise<void> {
    const [topic] = await queue.describe([processesTopic])
    if (!topic) await queue.createTopics([{ name: processesTopic, cleanup: 'compact' }])
    hasTopic = true
    const stale = staleProcesses(await readProcesses(queue), Date.now())
    if (stale.length > 0) await queue.append(stale.map((id) => recordOf(id, null)))
  }

  async function write(ended?: ProcessEnd): Promise<void> {
    if (!hasTopic) return
    const now = await facts()
    await queue.append([recordOf(place.id, encodeProcess({ ...place, ...now, ...(ended && { ended }) }))])
    written = { state: now.state, at: Date.now() }
  }

  async function attempt(step: () => Promise<void>): Promise<void> {
    try {
      await step()
    } catch (error) {
      // The topic may have been removed by a reset.
      hasTopic = false
      if (!hasWarned) log.info({ reason: errorReason(error) }, '"connector status" cannot see this process')
      hasWarned = true
    }
  }
}

function recordOf(id: string, value: Uint8Array | null): NewRecord {
  return { topic: processesTopic, key: Buffer.from(id), value, time: Date.now() }
}
