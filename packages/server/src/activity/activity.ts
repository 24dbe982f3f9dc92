import { setTimeout as wait } from 'node:timers/promises'
import {
  type CommittedCheckpoint,
  createNewestCheckpoints,
  isSystemTopic,
  systemTopics,
  writerIdOf,
} from '@headrace/catalog'
import type { TopicDescription } from '@headrace/queue'
import type { CompleteOptions } from '../options/gateway-options.ts'
import type { TopicDirectory } from '../topics/topic-directory.ts'
import { createDescribePermitted } from './describe-permitted.ts'
import { createNewestRecords, type TopicEnd } from './newest-records.ts'
import { createNewestReverts, type NewestRevert } from './newest-reverts.ts'
import { createRateMeter, type Rate, type RateMeter } from './rate.ts'

/** What is published now, and how fast: sampled for all topics and connector instances. */
export interface Activity {
  /**
   * Reads what is older than a second, in one request for all callers. Without an answer of the queue in time, what
   * was read before remains. Names of topics, `systemTopics.checkpoints` for connectors, `systemTopics.reorgs` for
   * their reverts.
   */
  refresh(names: readonly string[]): Promise<void>
  ofTopic(topic: string): TopicActivity
  ofConnector(writerId: string): ConnectorActivity
  /** Newest first, at most `mostReverts`. */
  revertsOf(topic: string): readonly NewestRevert[]
}

export interface TopicActivity extends Partial<TopicEnd> {
  readonly rate: Rate
}

export interface ConnectorActivity {
  readonly checkpoint: CommittedCheckpoint | undefined
  /** Of units. */
  readonly rate: Rate
}

export interface ActivityOptions extends Pick<CompleteOptions, 'queue' | 'limits' | 'log'> {
  readonly signal: AbortSignal
  readonly topics: TopicDirectory
  /** Monotonic, in ms. */
  readonly clock?: () => number
}

/** How long a request waits for the queue, in ms. */
const patienceMs = 2000
const longestFreshMs = 1000

/** Samples until the signal is aborted. */
export function followActivity(options: ActivityOptions): Activity {
  const { queue, topics, limits, log, signal, clock = () => performance.now() } = options
  const describe = createDescribePermitted(queue, clock)
  const records = createNewestRecords(queue)
  const checkpoints = createNewestCheckpoints(queue, log)
  const reverts = createNewestReverts(queue, log)
  const freshMs = Math.min(longestFreshMs, limits.rateMs / 10)
  const readAt = new Map<string, number>()
  let topicMeters = new Map<string, RateMeter>()
  let connectorMeters = new Map<string, RateMeter>()
  let wanted = new Set<string>()
  let reading: Promise<void> = Promise.resolve()
  let nextReading: Promise<void> | undefined
  let isSampling = false

  const timer = setInterval(startSample, limits.rateMs).unref()
  signal.addEventListener('abort', () => clearInterval(timer), { once: true })
  void startSample()

  return {
    async refresh(names) {
      if (staleOf(names).length === 0) return
      await Promise.race([read(names).catch(() => {}), wait(patienceMs, undefined, { ref: false })])
    },
    ofTopic(topic) {
      const end = records.of(topic)
      const meter = topicMeters.get(meterName(topic, end))
      return { ...end, rate: rateOf(meter, end?.records, topic) }
    },
    ofConnector(writerId) {
      const checkpoint = checkpoints.of(writerId)
      const meter = connectorMeters.get(writerId)
      return { checkpoint, rate: rateOf(meter, checkpoint?.unit ?? 0, systemTopics.checkpoints) }
    },
    revertsOf: reverts.of,
  }

  async function startSample(): Promise<void> {
    if (isSampling) return
    isSampling = true
    try {
      await sample()
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, 'rates cannot be measured, trying again')
    } finally {
      isSampling = false
    }
  }

  async function sample(): Promise<void> {
    const names = topics.list().map(({ topic }) => topic)
    const current = new Set(names)
    await read([...names, systemTopics.checkpoints])
    records.keepOnly(current)
    for (const name of readAt.keys()) if (!current.has(name) && !isSystemTopic(name)) readAt.delete(name)
    const ends = names.map((topic) => [topic, records.of(topic)] as const)
    topicMeters = kept(topicMeters, new Set(ends.map(([topic, end]) => meterName(topic, end))))
    for (const [topic, end] of ends) topicMeters.get(meterName(topic, end))!.sample(end?.records, readAt.get(topic)!)
    const writerIds = new Set(allWriterIds())
    connectorMeters = kept(connectorMeters, writerIds)
    const at = readAt.get(systemTopics.checkpoints)
    if (at === undefined) return
    for (const writerId of writerIds) connectorMeters.get(writerId)!.sample(checkpoints.of(writerId)?.unit ?? 0, at)
  }

  function kept(meters: ReadonlyMap<string, RateMeter>, names: ReadonlySet<string>): Map<string, RateMeter> {
    return new Map(Array.from(names, (name) => [name, meters.get(name) ?? createRateMeter(limits.rateMs)]))
  }

  function rateOf(meter: RateMeter | undefined, count: number | undefined, readName: string): Rate {
    const at = readAt.get(readName)
    return (meter ?? createRateMeter(limits.rateMs)).rate(at === undefined ? undefined : count, at ?? 0)
  }

  /** Joins all calls during a reading: the next one is for all of them. */
  function read(names: readonly string[]): Promise<void> {
    for (const name of names) wanted.add(name)
    nextReading ??= reading
      .catch(() => {})
      .then(() => {
        const stale = staleOf([...wanted])
        wanted = new Set()
        nextReading = undefined
        reading = readNow(stale)
        return reading
      })
    return nextReading
  }

  function staleOf(names: readonly string[]): readonly string[] {
    const oldest = clock() - freshMs
    return names.filter((name) => !((readAt.get(name) ?? Number.NEGATIVE_INFINITY) > oldest))
  }

  async function readNow(names: readonly string[]): Promise<void> {
    if (names.length === 0) return
    const at = clock()
    const descriptions = await describe(names)
    await records.update(descriptions.filter(({ name }) => !isSystemTopic(name)))
    for (const name of names) if (!isSystemTopic(name)) readAt.set(name, at)
    for (const description of descriptions) if (isSystemTopic(description.name)) await readSystemTopic(description, at)
  }

  function allWriterIds(): string[] {
    return Array.from(topics.registrations(), writerIdOf)
  }

  /** Its failure does not hinder the rates of topics. */
  async function readSystemTopic(description: TopicDescription, at: number): Promise<void> {
    const { name } = description
    const writerIds = allWriterIds()
    try {
      await (name === systemTopics.checkpoints ? checkpoints : reverts).update(description, writerIds)
      readAt.set(name, at)
    } catch (error) {
      if (!signal.aborted) log.warn({ topic: name, err: error }, 'state of connectors cannot be read, trying again')
    }
  }
}

/** A topic that was created again is measured from its beginning. */
function meterName(topic: string, end: TopicEnd | undefined): string {
  return `${topic} ${end?.id ?? ''}`
}
