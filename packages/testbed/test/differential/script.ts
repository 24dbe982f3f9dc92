import { createRandom, type Random } from '../../random.ts'

/** Requests to a broker. Some arguments depend on earlier answers. */
export interface Script {
  readonly seed: number
  readonly transactionVersion: 0 | 2
  readonly steps: readonly Step[]
}

export type Step =
  | { readonly ask: 'InitProducerId'; readonly writer: Writer; readonly timeoutMs: number }
  | ({ readonly ask: 'AddPartitionsToTxn'; readonly places: readonly Place[] } & OfSession)
  | ({ readonly ask: 'Produce'; readonly batches: readonly AskedBatch[] } & OfSession)
  | ({ readonly ask: 'EndTxn'; readonly committed: boolean } & OfSession)
  /** Many InitProducerId requests, which leave only a few epochs. */
  | { readonly ask: 'use up epochs'; readonly writer: Writer }
  /** Not a request: the coordinator aborts an open transaction after its timeout. */
  | { readonly ask: 'timeout'; readonly writer: Writer; readonly place: Place }
  | ({ readonly ask: 'Fetch'; readonly offset: bigint; readonly maxBytes: number; readonly epochs: Epochs } & Place)
  | ({ readonly ask: 'ListOffsets'; readonly time: bigint; readonly isolation: 0 | 1; readonly epoch: number } & Place)
  | ({ readonly ask: 'DeleteRecords'; readonly offset: bigint } & Place)
  | { readonly ask: 'CreateTopics'; readonly topic: string; readonly compacted: boolean }
  | { readonly ask: 'DescribeConfigs'; readonly topic: string }
  | { readonly ask: 'Metadata'; readonly topic: string }

/** A transactional id, or `idempotent` for a producer without transactions. */
export type Writer = 'one' | 'two' | 'three' | 'idempotent'

interface OfSession {
  readonly writer: Writer
  /** 0: the newest session of the writer; 1: the one before; −1: an epoch that does not exist yet. */
  readonly age: number
}

export interface Place {
  readonly topic: string
  readonly partition: number
}

export interface AskedBatch extends Place {
  readonly count: number
  readonly sequence: Sequence
  readonly keyed: boolean
}

/** The sequence number of a batch, relative to those of the session in the partition. */
export type Sequence = 'next' | 'last again' | 'third last again' | 'seventh last again' | 'gap' | 'zero'

export interface Epochs {
  readonly leader: number
  readonly last: number
}

/** The topics of every script, and their partitions. */
export const scriptTopics = { plain: 3, compacted: 1 } as const

/**
 * The same seed gives the same script.
 *
 * @param usedUp - Whether nearly all epochs of a writer are used at the start, which takes a minute.
 */
export function randomScript(seed: number, transactionVersion: 0 | 2, usedUp = false): Script {
  const random = createRandom(seed)
  const steps = writers.flatMap((writer): Step[] =>
    random.integer(3) > 0 ? [{ ask: 'InitProducerId', writer, timeoutMs: 600_000 }] : [],
  )
  if (usedUp) steps.push({ ask: 'use up epochs', writer: 'one' })
  const length = 10 + random.integer(50)
  const kinds = frequencies(random, transactionVersion)
  while (steps.length < length) steps.push(...random.pick(kinds)(random, transactionVersion))
  return { seed, transactionVersion, steps }
}

type Kind = (random: Random, transactionVersion: 0 | 2) => Step[]

/** The requests of a script, weighted by their number in the list. Each script has its own list. */
function frequencies(random: Random, transactionVersion: 0 | 2): Kind[] {
  const weights: [Kind, number][] = [
    [wholeTransaction, 12],
    [initProducerId, 4],
    [produce, 12],
    [endTxn, 8],
    [addPartitions, transactionVersion === 0 ? 6 : 0],
    [timeout, random.integer(4) === 0 ? 1 : 0],
    [fetch, 6],
    [listOffsets, 4],
    [deleteRecords, 1],
    [createTopics, 1],
    [describeConfigs, 1],
    [metadata, 1],
  ]
  return weights
    .flatMap(([kind, weight]) => Array.from({ length: random.integer(weight + 1) }, () => kind))
    .concat(produce)
}

const writers = ['one', 'two', 'three', 'idempotent'] as const
const transactional = ['one', 'one', 'one', 'two', 'three'] as const

function anyPlace(random: Random): Place {
  if (random.integer(20) === 0) return { topic: random.pick(['unknown', 'plain']), partition: random.integer(2) + 2 }
  if (random.integer(5) === 0) return { topic: 'compacted', partition: 0 }
  return { topic: 'plain', partition: random.integer(scriptTopics.plain) }
}

const anyAge = (random: Random): number => random.pick([0, 0, 0, 0, 0, 0, 0, 1, 1, 2, -1])

/** The steps of a writer without faults. */
function wholeTransaction(random: Random, transactionVersion: 0 | 2): Step[] {
  const writer = random.pick(transactional)
  const place = { topic: 'plain', partition: random.integer(scriptTopics.plain) }
  const steps: Step[] = []
  if (random.integer(6) === 0) steps.push({ ask: 'InitProducerId', writer, timeoutMs: 600_000 })
  if (transactionVersion === 0) steps.push({ ask: 'AddPartitionsToTxn', writer, age: 0, places: [place] })
  const batch = { ...place, count: 1 + random.integer(3), sequence: 'next', keyed: true } as const
  for (let batches = random.integer(3); batches >= 0; batches--)
    steps.push({ ask: 'Produce', writer, age: 0, batches: [batch] })
  steps.push({ ask: 'EndTxn', writer, age: 0, committed: random.integer(3) > 0 })
  return steps
}

function initProducerId(random: Random): Step[] {
  const timeoutMs = random.pick([600_000, 600_000, 600_000, 900_001])
  return [{ ask: 'InitProducerId', writer: random.pick(writers), timeoutMs }]
}

function addPartitions(random: Random): Step[] {
  const places = Array.from({ length: 1 + random.integer(2) }, () => anyPlace(random))
  return [{ ask: 'AddPartitionsToTxn', writer: random.pick(transactional), age: anyAge(random), places }]
}

function produce(random: Random, transactionVersion: 0 | 2): Step[] {
  const places = Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, () => anyPlace(random))
  const distinct = places.filter(
    (one, index) => !places.slice(0, index).some((other) => sameTopic(one, other) && one.partition === other.partition),
  )
  const batches = distinct.map(
    (place): AskedBatch => ({
      ...place,
      count: 1 + random.integer(3),
      sequence: random.integer(3) > 0 ? 'next' : random.pick(sequences),
      keyed: random.integer(10) > 0,
    }),
  )
  const writer = random.pick(writers)
  const age = anyAge(random)
  const add: Step = { ask: 'AddPartitionsToTxn', writer, age, places: distinct }
  const added = transactionVersion === 0 && writer !== 'idempotent' && random.integer(2) === 0
  return [...(added ? [add] : []), { ask: 'Produce', writer, age, batches }]
}

const sequences = ['last again', 'third last again', 'seventh last again', 'gap', 'zero'] as const

function sameTopic(one: Place, other: Place): boolean {
  return one.topic === other.topic
}

function endTxn(random: Random): Step[] {
  const end: Step = {
    ask: 'EndTxn',
    writer: random.pick(transactional),
    age: anyAge(random),
    committed: random.integer(2) === 0,
  }
  return random.integer(3) === 0 ? [end, end] : [end]
}

function timeout(random: Random): Step[] {
  return [{ ask: 'timeout', writer: random.pick(transactional), place: { topic: 'plain', partition: 0 } }]
}

function fetch(random: Random): Step[] {
  const epochs = { leader: random.pick([-1, -1, 0, 1]), last: random.pick([-1, -1, -1, 0, 1]) }
  const offset = BigInt(random.integer(30) - 1)
  return [{ ask: 'Fetch', ...anyPlace(random), offset, maxBytes: random.pick([1, 200, 1_000_000]), epochs }]
}

function listOffsets(random: Random): Step[] {
  const time = random.pick([-1n, -2n])
  const isolation = random.pick([0, 1] as const)
  return [{ ask: 'ListOffsets', ...anyPlace(random), time, isolation, epoch: random.pick([-1, -1, 0, 1]) }]
}

function deleteRecords(random: Random): Step[] {
  return [{ ask: 'DeleteRecords', ...anyPlace(random), offset: BigInt(random.integer(12) - 2) }]
}

function createTopics(random: Random): Step[] {
  const topic = random.pick(['plain', 'another', 'another', 'not/allowed'])
  return [{ ask: 'CreateTopics', topic, compacted: random.integer(2) === 0 }]
}

function describeConfigs(random: Random): Step[] {
  return [{ ask: 'DescribeConfigs', topic: random.pick(['plain', 'compacted', 'unknown']) }]
}

function metadata(random: Random): Step[] {
  return [{ ask: 'Metadata', topic: random.pick(['plain', 'unknown', 'not/allowed']) }]
}
