import { brokerErrorCodes as codes } from '../../../queue/src/kafka/connection/broker-error.ts'
import type { FetchArguments } from '../../../queue/src/kafka/connection/fetch-request.ts'
import type { ProduceArguments } from '../../../queue/src/kafka/connection/produce-request.ts'
import type { Disturbance } from '../world/disturbances.ts'
import type { World } from '../world/world.ts'
import type { SimulatedCluster } from './cluster.ts'
import type { Handler } from './requests.ts'

type Operation = 'READ' | 'WRITE' | 'DESCRIBE'

/** The permissions of all clients: everything but what is withdrawn for a while. */
export interface Permissions {
  /** Handlers that check permissions first. */
  guard(handlers: Readonly<Record<string, Handler>>): Readonly<Record<string, Handler>>
  readonly disturbance: Disturbance
}

interface Withdrawn {
  readonly resource: 'topic' | 'transactional-id'
  readonly name: string
  readonly operations: readonly Operation[]
}

export function createPermissions(world: World, cluster: SimulatedCluster): Permissions {
  let withdrawn: Withdrawn | undefined
  const transactionalIds = new Set<string>()

  function denies(operation: Operation, resource: Withdrawn['resource'], name: string): boolean {
    if (!withdrawn || withdrawn.resource !== resource || withdrawn.name !== name) return false
    return withdrawn.operations.includes(operation)
  }

  const deniesTopic = (operation: Operation, name: string): boolean => denies(operation, 'topic', name)
  const deniesId = (operation: Operation, id: string | null): boolean =>
    id !== null && denies(operation, 'transactional-id', id)
  const topicName = (node: number, id: string): string => cluster.topics.knownById(node, id)?.name ?? ''

  /** Withdraws one permission or all of one resource. READ and WRITE include DESCRIBE. */
  function choose(): Withdrawn | undefined {
    const names = [...cluster.topics.current.keys()]
    const ids = [...transactionalIds]
    if (names.length === 0 || ids.length === 0) return undefined
    if (world.random.integer(4) === 0)
      return { resource: 'transactional-id', name: world.random.pick(ids), operations: ['WRITE', 'DESCRIBE'] }
    const operations = world.random.pick([['READ'], ['WRITE'], ['READ', 'WRITE', 'DESCRIBE']] as const)
    return { resource: 'topic', name: world.random.pick(names), operations }
  }

  type Guard = (handler: Handler, node: number, version: number, ...args: never[]) => unknown

  const guards: Readonly<Record<string, Guard>> = {
    Produce(handler, node, version, request: ProduceArguments) {
      const { transactionalId, batches } = request
      const refuse = (refused: typeof batches, errorCode: number) =>
        refused.map(({ topic, partition }) => ({ topic, partition, errorCode, errorMessage: null }))
      if (deniesId('WRITE', transactionalId))
        return { partitions: refuse(batches, codes.TRANSACTIONAL_ID_AUTHORIZATION_FAILED) }
      const [denied, allowed] = divide(batches, ({ topic }) => deniesTopic('WRITE', topic))
      if (allowed.length === 0) return { partitions: refuse(denied, codes.TOPIC_AUTHORIZATION_FAILED) }
      return merge('partitions', refuse(denied, codes.TOPIC_AUTHORIZATION_FAILED), () =>
        call(handler, node, version, { ...request, batches: allowed }),
      )
    },
    Fetch(handler, node, version, request: FetchArguments) {
      const [denied, allowed] = divide(request.partitions, ({ topicId }) =>
        deniesTopic('READ', topicName(node, topicId)),
      )
      if (denied.length === 0) return call(handler, node, version, request)
      const refusals = denied.map(({ topicId, partition }) => ({
        topicId,
        partition,
        errorCode: codes.TOPIC_AUTHORIZATION_FAILED,
        highWatermark: -1n,
        lastStableOffset: -1n,
        abortedTransactions: [],
        diverges: false,
        bytes: Buffer.alloc(0),
      }))
      return merge('partitions', refusals, () =>
        call(handler, node, version, { ...request, partitions: allowed, maxWaitMs: 0 }),
      )
    },
    ListOffsets(handler, node, version, replica: number, isolation: number, asked: AskedTopic[]) {
      const [denied, allowed] = divide(asked, ({ name }) => deniesTopic('DESCRIBE', name))
      const refusals = denied.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map(({ partitionIndex }) => ({
          partitionIndex,
          errorCode: codes.TOPIC_AUTHORIZATION_FAILED,
          offset: -1n,
        })),
      }))
      return merge('topics', refusals, () => call(handler, node, version, replica, isolation, allowed))
    },
    Metadata(handler, node, version, names: string[] | null) {
      const asked = names ?? [...cluster.topics.current.keys()]
      const [denied, allowed] = divide(asked, (name) => deniesTopic('DESCRIBE', name))
      const errorCode = codes.TOPIC_AUTHORIZATION_FAILED
      // A request for all topics omits those without permission.
      const refusals = names ? denied.map((name) => ({ errorCode, name, partitions: [] })) : []
      return merge('topics', refusals, () => call(handler, node, version, allowed))
    },
    AddPartitionsToTxn(handler, node, version, [transaction]: AskedTransaction[]) {
      const { transactionalId, topics } = transaction!
      const refuse = (codeOf: (topic: string) => number) => ({
        errorCode: codes.NONE,
        resultsByTransaction: [
          {
            transactionalId,
            topicResults: topics.map(({ name, partitions }) => ({
              name,
              resultsByPartition: partitions.map((partitionIndex) => ({
                partitionIndex,
                partitionErrorCode: codeOf(name),
              })),
            })),
          },
        ],
      })
      if (deniesId('WRITE', transactionalId)) return refuse(() => codes.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
      if (topics.some(({ name }) => deniesTopic('WRITE', name)))
        return refuse((name) => (deniesTopic('WRITE', name) ? codes.TOPIC_AUTHORIZATION_FAILED : notAttempted))
      return call(handler, node, version, [transaction])
    },
    InitProducerId(handler, node, version, id: string | null, ...args: never[]) {
      if (id !== null) transactionalIds.add(id)
      return deniesId('WRITE', id) ? noProducer : call(handler, node, version, id, ...args)
    },
    EndTxn(handler, node, version, request: { readonly transactionalId: string }) {
      return deniesId('WRITE', request.transactionalId) ? noProducer : call(handler, node, version, request)
    },
    FindCoordinator(handler, node, version, type: number, [id]: string[]) {
      if (!deniesId('DESCRIBE', id!)) return call(handler, node, version, type, [id])
      const errorCode = codes.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
      return { coordinators: [{ key: id, nodeId: -1, host: '', port: -1, errorCode, errorMessage: null }] }
    },
  }

  return {
    guard: (handlers) =>
      Object.fromEntries(
        Object.entries(handlers).map(([name, handler]): [string, Handler] => {
          const guarded = guards[name]
          return [name, guarded ? (node, version, ...args) => guarded(handler, node, version, ...args) : handler]
        }),
      ),
    disturbance: {
      kind: 'permission withdrawn',
      async strike() {
        withdrawn = choose()
        if (!withdrawn) return
        const ms = world.random.integer(world.random.pick([100, 5_000, 60_000]))
        const { operations, resource, name } = withdrawn
        world.note('operator', `withdraws ${operations.join(', ')} on ${resource} "${name}" for ${ms} ms`)
        world.faultLasts(ms)
        await world.wait(ms)
        withdrawn = undefined
      },
    },
  }
}

interface AskedTopic {
  readonly name: string
  readonly partitions: readonly { readonly partitionIndex: number }[]
}

interface AskedTransaction {
  readonly transactionalId: string
  readonly topics: readonly { readonly name: string; readonly partitions: readonly number[] }[]
}

const notAttempted = 55
const noProducer = {
  errorCode: codes.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
  producerId: -1n,
  producerEpoch: -1,
  epoch: -1,
}

function call(handler: Handler, node: number, version: number, ...args: unknown[]): unknown {
  return handler(node, version, ...(args as never[]))
}

function divide<T>(all: readonly T[], denied: (one: T) => boolean): [T[], T[]] {
  return [all.filter(denied), all.filter((one) => !denied(one))]
}

/** Merges refusals into the answer to the allowed part of a request. */
async function merge(list: string, refusals: readonly unknown[], ask: () => unknown): Promise<unknown> {
  const answer = (await ask()) as Record<string, unknown[]>
  return { ...answer, [list]: [...refusals, ...answer[list]!] }
}
