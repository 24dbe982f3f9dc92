import { setTimeout as delay } from 'node:timers/promises'
import type { Head } from '../../../../sdk/test/chain/connector.ts'
import { totalsConnector } from '../../../../sdk/test/queue-source/totals/connector.ts'
import type { FaultPlan } from '../../../../testbed/faults/fault-plan.ts'
import { blocksConnector } from './blocks.ts'
import { countFetches, type FetchCounts, setConsumerByteRate } from './consumer-quota.ts'
import { type ElectionScene, electionStep, electionSteps } from './election-scene.ts'
import { followLive, readPages } from './gateway-readers.ts'
import { type LeaderMover, openLeaderMover } from './leader-mover.ts'
import { askGateway, askPosition, type FoundPlace } from './position-questions.ts'
import { checkPublished } from './published-check.ts'
import { runRepeatedly } from './repeated-run.ts'

export interface ExerciseSize {
  /** The least number of starts of the connector. */
  readonly starts: number
  /** The least number of positions. */
  readonly positions: number
  /** Positions of each kind in a round. The gateway is asked for one more of each. */
  readonly perKind: number
  /** Quota of each node for the clients of the queue. Default: none. */
  readonly bytesPerSecond?: number
}

export interface ExerciseCounts extends FetchCounts {
  readonly starts: number
  readonly transformStarts: number
  readonly positions: number
  readonly pages: number
  readonly units: number
  readonly records: number
}

/**
 * Publishes, transforms, serves and resolves positions while leaders move, until all numbers of the plan are reached.
 * Then checks what is published and what the readers have got. Each incorrect result is a finding.
 */
export async function exercise(scene: ElectionScene, size: ExerciseSize, plan: FaultPlan): Promise<ExerciseCounts> {
  const { cluster, partitions, topics, counts, random } = scene
  const { address } = cluster.nodes[0]!
  let elections = 0
  const missing = new Set<string>(electionSteps)
  const onElection = (topic: string) => {
    plan.hit(electionStep(topic))
    missing.delete(electionStep(topic))
    elections++
  }
  const enoughElections = () => elections >= plan.count && missing.size === 0
  using live = followLive(scene, Object.values(topics))
  const mover = await openLeaderMover({ address, partitions, random, onElection })
  if (size.bytesPerSecond !== undefined) await setConsumerByteRate(address, size.bytesPerSecond)
  const counting = countFetches(scene.queues)
  const { places, ...others } = await publishAndAsk(scene, { size, mover, enoughElections })
  const fetched = counting.end()
  await mover.close()
  if (size.bytesPerSecond !== undefined) await setConsumerByteRate(address, undefined)
  const ends = await checkPublished(scene, places)
  for (const { topic, partition, records } of ends) await live.reaches(topic, partition, records)
  const records = ends.reduce((sum, { records }) => sum + records, 0)
  return { ...others, ...fetched, units: counts.committed, records }
}

interface RoundsOptions {
  readonly size: ExerciseSize
  readonly mover: LeaderMover
  enoughElections(): boolean
}

type Outcome = Pick<ExerciseCounts, 'starts' | 'transformStarts' | 'positions' | 'pages'> & {
  readonly places: readonly FoundPlace[]
}

async function publishAndAsk(scene: ElectionScene, options: RoundsOptions): Promise<Outcome> {
  const { random, counts, topics } = scene
  const [asked, published] = [new AbortController(), new AbortController()]
  const beforeEach = async () => {
    while (counts.quiet) await delay(pollMs)
  }
  const quietTotals = totalsConnector({ follow: true, beforeEach })
  let starts = 0
  const [rounds, , transformStarts, pages] = await Promise.all([
    askInRounds(scene, { ...options, starts: () => starts, signal: published.signal }).finally(() => asked.abort()),
    runRepeatedly(scene, {
      ...{ name: 'the connector', project: scene.blocks, connector: blocksConnector(counts), signal: asked.signal },
      units: () => 1 + random.integer(longestRun),
      onStart() {
        starts++
      },
      onCommit(checkpoint) {
        counts.committed = Math.max(counts.committed, (checkpoint as Head).number + 1)
      },
    }).finally(() => published.abort()),
    runRepeatedly(scene, {
      ...{ name: 'the transform', project: scene.totals, connector: quietTotals },
      units: () => 1 + random.integer(longestRun),
      signal: published.signal,
    }),
    readPages(scene, topics.block, published.signal),
  ])
  // A transform that does not follow ends with the records that were committed before it began.
  const last = scene.totals.run(totalsConnector(), { retry: { budgetMs: 0 } })
  await scene.findings.during('run', 'the last run of the transform', last)
  return { ...rounds, starts, transformStarts, pages }
}

/** The most units that a run commits before it is stopped. */
const longestRun = 10

interface RoundsState extends RoundsOptions {
  starts(): number
  /** Aborted when the connector has ended. */
  readonly signal: AbortSignal
}

/**
 * In each round some blocks are committed, then leaders move and positions are resolved. In most rounds nothing is
 * written concurrently: then only the leader knows that the last transaction is committed, the next leader gets it
 * late, and each question has exactly one right answer. In the other rounds transactions are open while their leaders
 * move.
 */
async function askInRounds(scene: ElectionScene, { size, mover, enoughElections, starts, signal }: RoundsState) {
  const { counts, random, topics } = scene
  const places: FoundPlace[] = []
  let positions = 0
  while (positions < size.positions || starts() < size.starts || !enoughElections()) {
    counts.granted += 1 + random.integer(4)
    while (counts.committed < counts.granted && !signal.aborted) await delay(pollMs)
    if (signal.aborted) break
    counts.quiet = random.integer(3) > 0
    if (!counts.quiet) counts.granted += 4 + random.integer(5)
    const moving = mover.move(topics.block, { others: !counts.quiet || random.integer(3) === 0 })
    const direct = kinds.flatMap((kind) => Array.from({ length: size.perKind }, () => askPosition(scene, kind)))
    const requests = kinds.map((kind) => askGateway(scene, kind))
    try {
      const [found] = await Promise.all([Promise.all(direct), Promise.all(requests), moving])
      places.push(...found.filter((place) => place !== undefined))
    } finally {
      counts.quiet = false
    }
    positions += direct.length + requests.length
  }
  return { positions, places }
}

const kinds = ['final', 'time', 'last'] as const
const pollMs = 5
