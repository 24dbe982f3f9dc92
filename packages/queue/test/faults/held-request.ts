import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import type { FaultPlan } from '../../../../scripts/faults/fault-plan.ts'
import type { Injection, KafkaProxy, ProxyFault, RequestRecord } from '../../../../scripts/kafka/proxy.ts'
import type { Queue } from '../../src/index.ts'
import type { KafkaSettings } from '../../src/kafka/connection/kafka-settings.ts'
import { uniqueName } from '../kafka-fixture.ts'
import { createUnitTopics, dataTopics, readPartition } from '../units.ts'
import { apiKeys } from './proxied-kafka.ts'
import { createRecordedPublisher, type PublishSteps, type RecordedPublisher } from './recorded-publisher.ts'

/** When a request is held: at the opening of a writer, in a transaction that is to be committed, or at an abort. */
type Moment = 'opening' | 'begun' | 'committing' | 'aborting'

interface HeldStep extends Pick<ProxyFault, 'apiKey' | 'skip'> {
  readonly at: Moment
  /** Whether an EndTxn is lost first, so that the coordinator is found and connected to again. */
  readonly afterLoss?: boolean
}

/** Requests of a writer. `confirm` is the EndTxn of a commit that was answered OK, sent a second time. */
const heldSteps = {
  claim: { at: 'opening', apiKey: apiKeys.produce },
  find: { at: 'opening', apiKey: apiKeys.findCoordinator },
  open: { at: 'opening', apiKey: apiKeys.initProducerId },
  join: { at: 'begun', apiKey: apiKeys.addPartitions },
  produce: { at: 'begun', apiKey: apiKeys.produce },
  commit: { at: 'committing', apiKey: apiKeys.endTxn },
  confirm: { at: 'committing', apiKey: apiKeys.endTxn, skip: 1 },
  'find again': { at: 'committing', apiKey: apiKeys.findCoordinator, afterLoss: true },
  'connect again': { at: 'committing', apiKey: apiKeys.saslAuthenticate, afterLoss: true },
  abort: { at: 'aborting', apiKey: apiKeys.endTxn },
} as const satisfies Record<string, HeldStep>

/** What is held, and which limit ends the wait for its answer. */
export interface HeldRequest {
  readonly step: keyof typeof heldSteps
  readonly what: 'request' | 'answer'
  readonly limit: keyof typeof limits
}

const limits = {
  budget: { budgetMs: 1_200, requestTimeoutMs: 10_000 },
  'request timeout': { budgetMs: 1_200, requestTimeoutMs: 900 },
} as const
/** How long a request is held, in ms: longer than each limit. */
const heldMs = 1_600
/** What an attempt that was given up still sends, it sends within this time, in ms. */
const lateMs = 200

/** Every combination, in this order. */
export function heldRequests(
  steps: readonly HeldRequest['step'][],
  limitedBy: readonly HeldRequest['limit'][],
): HeldRequest[] {
  return steps.flatMap((step) =>
    (['request', 'answer'] as const).flatMap((what) => limitedBy.map((limit) => ({ step, what, limit }))),
  )
}

export interface HoldOptions {
  readonly proxy: KafkaProxy
  readonly plan: FaultPlan
  readonly open: (settings: Partial<KafkaSettings>) => Promise<Queue>
  /** Has the default limits: what is published is read through it. */
  readonly reading: Queue
}

/**
 * Holds each request in every round. Rounds follow one another, and the different requests are held at the same time.
 * Returns what was wrong.
 */
export async function holdEach(
  options: HoldOptions,
  requests: readonly HeldRequest[],
  rounds: number,
): Promise<string[]> {
  const { plan, open, reading } = options
  const wrong: string[] = []
  const errors = new Map<string, number>()
  const holding = requests.map(async (held) => {
    const series = uniqueName('held')
    await createUnitTopics(reading, series)
    const publisher = createRecordedPublisher({ series, newClaims: plan.random.integer(2) === 0 })
    for (let round = 0; round < rounds; round++) {
      // Only a new queue asks for the coordinator.
      const queue = await open(limits[held.limit])
      publisher.use(queue)
      await holdOnce(options, { held, series, publisher })
      await queue.close()
      plan.hit(`${held.step} ${held.what}`)
    }
    for (const [name, count] of publisher.errors) errors.set(name, (errors.get(name) ?? 0) + count)
  })
  for (const [index, outcome] of (await Promise.allSettled(holding)).entries()) {
    if (outcome.status === 'rejected') wrong.push(`${nameOf(requests[index]!)}: ${(outcome.reason as Error).message}`)
  }
  console.log(`errors: ${[...errors].map(([name, count]) => `${name} ${count}`).join(', ')}`)
  return wrong
}

interface HoldOnceOptions {
  readonly held: HeldRequest
  readonly series: string
  readonly publisher: RecordedPublisher
}

/** Holds a request for longer than its writer waits, and releases it in a later transaction. */
async function holdOnce(options: HoldOptions, { held, series, publisher }: HoldOnceOptions): Promise<void> {
  const { proxy, reading } = options
  const { at, apiKey, skip = 0, afterLoss = false }: HeldStep = heldSteps[held.step]
  const errors = countErrors(publisher)
  let injection: Injection | undefined
  let happened = false
  let waiting = true

  async function hold(): Promise<void> {
    if (injection) return
    const containing = apiKey === apiKeys.saslAuthenticate ? undefined : series
    if (afterLoss) proxy.inject({ apiKey: apiKeys.endTxn, what: 'request', how: 'cut', containing: series })
    injection = proxy.inject({ apiKey, skip, what: held.what, how: 'hold', containing })
    injection.happened
      .then(() => {
        happened = true
        return delay(heldMs)
      })
      .then(() => {
        // No limit has ended the wait.
        if (waiting && countErrors(publisher) === errors) injection!.release()
      })
  }

  if (at === 'opening') {
    await hold()
    await publisher.open()
  } else {
    await publisher.open()
    await publisher.publish()
    // Under TV1 a transaction with a batch that was refused is aborted without EndTxn.
    if (at === 'aborting') while (!happened) await publisher.giveUp(hold)
    else await publisher.publish(at === 'begun' ? { begun: hold } : { sent: hold })
  }
  waiting = false
  expect(happened, 'whether the request came').toBe(true)
  await publisher.publish()
  await publisher.publish(releasingHalfway(options, { name: nameOf(held), injection: injection!, series }))
  await publisher.publish()
  await publisher.expectEachUnitOnce(reading)
}

function nameOf({ step, what, limit }: HeldRequest): string {
  return `${step} ${what}, limited by ${limit}`
}

function countErrors({ errors }: RecordedPublisher): number {
  return [...errors.values()].reduce((sum, count) => sum + count, 0)
}

/** Releases what is held while half of a unit has left and nothing of it is under way. */
function releasingHalfway(
  { proxy, reading }: HoldOptions,
  { name, injection, series }: { readonly name: string; readonly injection: Injection; readonly series: string },
): PublishSteps {
  let requests: RequestRecord | undefined
  let produced: Promise<boolean> | undefined
  return {
    async begun() {
      requests = proxy.record(series)
      const passed = proxy.inject({ apiKey: apiKeys.produce, what: 'answer', how: 'pass', containing: series })
      produced = passed.happened.then(() => true)
    },
    async halfSent(number) {
      // Where the machine is slow, the leader may not be found within the budget.
      const sent = await Promise.race([produced, delay(heldMs).then(() => false)])
      await silence(requests!)
      const before = requests!.apiKeys.length
      await injection.release()
      if (sent) await delay(lateMs)
      requests!.stop()
      if (!sent) return
      const late = requests!.apiKeys.slice(before).filter((apiKey) => writes.includes(apiKey))
      expect.soft(late, `${name}: API keys of the requests that an attempt sent after it was given up`).toEqual([])
      const visible = await readPartition(reading, dataTopics(series)[0])
      expect(visible, 'what is visible of a transaction that is open').not.toContain(`${number}/0`)
    },
  }
}

const writes: readonly number[] = [apiKeys.produce, apiKeys.initProducerId, apiKeys.addPartitions, apiKeys.endTxn]

/** Resolves when no request has come for a while. */
async function silence({ apiKeys }: RequestRecord): Promise<void> {
  let seen: number
  do {
    seen = apiKeys.length
    await delay(lateMs)
  } while (apiKeys.length > seen)
}
