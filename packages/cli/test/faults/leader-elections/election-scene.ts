import { checkpointPartition, systemTopics } from '@headrace/catalog'
import { openQueue, type Queue } from '@headrace/queue'
import { createTestProject, type TestProject } from '@headrace/sdk/testing'
import { createGateway } from '@headrace/server'
import { pino } from 'pino'
import { totalsConnector } from '../../../../sdk/test/queue-source/totals/connector.ts'
import type { TopicPartitions } from '../../../../testbed/kafka/elect-leaders-request.ts'
import type { KafkaBroker } from '../../../../testbed/kafka/start-kafka.ts'
import type { Random } from '../../../../testbed/random.ts'
import { type BlockCounts, blocksConnector } from './blocks.ts'
import { createFindings, type Findings } from './findings.ts'

/** A connector, one that reads its topics, and a gateway that serves the topics of both. */
export interface ElectionScene extends AsyncDisposable {
  readonly cluster: KafkaBroker
  /** The caller closes it. */
  openQueue(): Promise<Queue>
  readonly queues: readonly Queue[]
  readonly random: Random
  readonly findings: Findings
  readonly blocks: TestProject
  readonly totals: TestProject
  readonly topics: Readonly<Record<'block' | 'transaction' | 'total' | 'sender', string>>
  /** The partitions whose leaders matter: those of the data, and the used ones of each system topic. */
  readonly partitions: readonly TopicPartitions[]
  readonly counts: BlockCounts
  readonly gatewayUrl: string
  readonly key: string
}

/** The steps of a plan: every topic with a leader that moves, by the end of its name. */
export const electionSteps = [
  ...['Block', 'Transaction', 'Total', 'Sender'],
  ...['checkpoints', 'reorgs', 'owners', 'registry'],
] as const

export function electionStep(topic: string): string {
  return topic.replace(/.*[._]/, '')
}

export interface OpenSceneOptions {
  readonly cluster: KafkaBroker
  /** Letters only. */
  readonly chain: string
  readonly random: Random
}

/** Blocks that exist before the first election. */
const firstBlocks = 30

export async function openScene({ cluster, chain, random }: OpenSceneOptions): Promise<ElectionScene> {
  await using resources = new AsyncDisposableStack()
  const queues: Queue[] = []
  const open = async (): Promise<Queue> => {
    const queue = await openQueue(`kafka://${cluster.bootstrap}`)
    queues.push(queue)
    return queue
  }
  const findings = createFindings()
  const counts: BlockCounts = { granted: firstBlocks, yielded: 0, committed: 0, quiet: false }
  const settings = { chain }
  const sdkTest = new URL('../../../../sdk/test/', import.meta.url)
  const shared = await open()
  resources.defer(() => shared.close())
  const blocks = resources.use(await createTestProject(new URL('chain', sdkTest), { settings, queue: shared }))
  const totals = await blocks.openOther(new URL('queue-source/totals', sdkTest), { settings })
  const stop = new AbortController()
  await blocks.run(blocksConnector(counts), {
    signal: stop.signal,
    observer: {
      onCommit({ units }) {
        counts.committed = units
        if (units >= firstBlocks) stop.abort()
      },
    },
  })
  await totals.run(totalsConnector())

  const queue = await open()
  resources.defer(() => queue.close())
  const write = (line: string) => {
    const { err, msg } = JSON.parse(line)
    if (err) findings.note('gateway', `${msg}: ${err.type}: ${err.message}`)
  }
  const gateway = await createGateway({ queue, port: 0, log: pino({ level: 'warn' }, { write }) })
  resources.defer(() => gateway.close())
  // A stored key reaches the gateway later while the leaders move.
  const { key } = gateway

  const topics = {
    block: `acme.chain.1_0_0.${chain}_Block`,
    transaction: `acme.chain.1_0_0.${chain}_Transaction`,
    total: `acme.totals.1_0_0.${chain}_Total`,
    sender: `acme.totals.1_0_0.${chain}_Sender`,
  }
  const writerPartitions = [blocks, totals].map(({ instance }) => checkpointPartition(instance.writerId))
  const partitions = [
    { topic: topics.block, partitions: [0] },
    { topic: topics.transaction, partitions: [0, 1, 2] },
    { topic: topics.total, partitions: [0] },
    { topic: topics.sender, partitions: [0, 1] },
    { topic: systemTopics.checkpoints, partitions: [...new Set(writerPartitions)] },
    { topic: systemTopics.reorgs, partitions: [...new Set(writerPartitions)] },
    { topic: systemTopics.owners, partitions: [0] },
    { topic: systemTopics.registry, partitions: [0] },
  ]
  const owned = resources.move()
  return {
    ...{ cluster, openQueue: open, queues, random, findings, blocks, totals, topics, partitions, counts, key },
    gatewayUrl: gateway.url,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
