import assert from 'node:assert'
import { UserError } from '@headrace/queue'
import { applyDurably } from '../destination/apply-durably.ts'
import type {
  Destination,
  SinkBatch,
  SinkContext,
  SinkDefinition,
  SinkTopic,
  StoredRow,
} from '../destination/destination.ts'
import { differingField } from '../verification/compare-values.ts'
import type { DestinationTest } from './destination-test.ts'
import { createLedger } from './ledger.ts'

/** The destination of one case, and what it must have stored. */
export interface Bench {
  readonly place: string
  readonly definition: SinkDefinition
  /** Opens a destination, as a new program does. */
  open(topics: readonly SinkTopic[]): Promise<Destination>
  /** Opens and prepares a destination, and expects the cursors of what was applied. */
  start(topics: readonly SinkTopic[], options?: StartOptions): Promise<Destination>
  /** As `start`, or `undefined` if the destination refuses the last one of the topics. */
  tryStart(topics: readonly SinkTopic[]): Promise<Destination | undefined>
  /** Applies batches, each as a run would, and expects that they are stored from then on. */
  apply(destination: Destination, ...batches: readonly SinkBatch[]): Promise<void>
  /** As `apply`, or `false` if the destination refuses the batch. Then nothing of it may be stored. */
  tryApply(destination: Destination, batch: SinkBatch, what: string): Promise<boolean>
  /** Notes that batches were applied elsewhere. */
  expectStored(...batches: readonly SinkBatch[]): void
  /** Expects that the rows are those of the applied batches, read while a run may be open. */
  check(topics: readonly SinkTopic[]): Promise<void>
  /** Ends a run. */
  end(destination: Destination): Promise<void>
  /** Opens, applies, ends and checks. */
  store(topics: readonly SinkTopic[], ...batches: readonly SinkBatch[]): Promise<void>
  close(): Promise<void>
}

export interface StartOptions {
  /** Of a run that opens its destination again. Default: that of a new program. */
  readonly sink?: SinkDefinition
  readonly signal?: AbortSignal
}

export function createBench(
  test: DestinationTest,
  { place, refused }: { readonly place: string; readonly refused: string[] },
): Bench {
  const definition = test.sink(place)
  const ledger = createLedger(definition)
  const opened = new Map<Destination, AbortController>()

  async function open(
    { sink = test.sink(place), ...options }: StartOptions,
    context: Pick<SinkContext, 'topics' | 'readOnly'>,
  ): Promise<Destination> {
    const end = new AbortController()
    const signal = AbortSignal.any([end.signal, ...(options.signal ? [options.signal] : [])])
    const destination = await sink.open({ name: 'conformance', log: silent, ...context, signal })
    opened.set(destination, end)
    return destination
  }

  const bench: Bench = {
    place,
    definition,
    open: (topics) => open({}, { topics, readOnly: false }),
    async start(topics, options = {}) {
      const destination = await open(options, { topics, readOnly: false })
      await destination.prepare()
      for (const { topic } of topics) await expectCursor(destination, topic)
      return destination
    },
    async tryStart(topics) {
      const destination = await bench.open(topics)
      try {
        await destination.prepare()
        return destination
      } catch (error) {
        expectRefusal(error)
        refused.push(`topic ${topics.at(-1)!.topic}`)
        await bench.end(destination)
        return undefined
      }
    },
    async apply(destination, ...batches) {
      for (const batch of batches) {
        await applyDurably(destination, batch)
        ledger.add(batch)
      }
    },
    async tryApply(destination, batch, what) {
      try {
        await bench.apply(destination, batch)
        return true
      } catch (error) {
        expectRefusal(error)
        refused.push(what)
        return false
      }
    },
    expectStored(...batches) {
      for (const batch of batches) ledger.add(batch)
    },
    async check(topics) {
      const destination = test.readRows ? undefined : await open({}, { topics, readOnly: true })
      for (const topic of topics) {
        if (destination) await expectCursor(destination, topic.topic)
        for (let partition = 0; partition < topic.partitions; partition++)
          expectRows(topic, partition, await rowsOf(destination, topic.topic, partition))
      }
      if (destination) await bench.end(destination)
    },
    async end(destination) {
      opened.get(destination)?.abort()
      opened.delete(destination)
      await destination.close()
    },
    async store(topics, ...batches) {
      const destination = await bench.start(topics)
      await bench.apply(destination, ...batches)
      await bench.end(destination)
      await bench.check(topics)
    },
    async close() {
      for (const destination of opened.keys()) await bench.end(destination)
    },
  }
  return bench

  async function expectCursor(destination: Destination, topic: string): Promise<void> {
    const cursor = await destination.readCursor(topic)
    assert.equal(cursor, ledger.cursor(topic), `The cursor of "${topic}" is not that of its last applied batch.`)
  }

  async function rowsOf(destination: Destination | undefined, topic: string, partition: number): Promise<StoredRow[]> {
    if (!destination) return sorted(await test.readRows!(place, topic, partition))
    assert(destination.readRows, 'The destination has no "readRows". Give the test one.')
    const rows: StoredRow[] = []
    for await (const page of destination.readRows(topic, partition)) rows.push(...page)
    assert.deepEqual(
      rows.map(({ seq }) => seq),
      sorted(rows).map(({ seq }) => seq),
      `The rows of partition ${partition} of "${topic}" are not read in order of seq.`,
    )
    return rows
  }

  function expectRows(topic: SinkTopic, partition: number, rows: readonly StoredRow[]): void {
    const expected = ledger.rows(topic.topic, partition)
    const of = `of partition ${partition} of "${topic.topic}"`
    assert.deepEqual(
      rows.map(({ seq, key }) => ({ seq, key })),
      expected.map(({ seq, key }) => ({ seq, key })),
      `The rows ${of} are not those of its canonical records.`,
    )
    for (const [index, { seq, value }] of rows.entries()) {
      const wanted = expected[index]!.value
      const field = differingField(topic, wanted, value)
      if (field === undefined) continue
      const [found, right] = topic.fields ? [value?.[field], wanted?.[field]] : [value, wanted]
      assert.deepEqual(found, right, `The field "${field}" of the row with seq ${seq} ${of} is not that of the record.`)
      assert.fail(`The field "${field}" of the row with seq ${seq} ${of} differs.`)
    }
  }
}

const silent = { debug() {}, info() {}, warn() {}, error() {} }

function sorted(rows: readonly StoredRow[]): StoredRow[] {
  return rows.toSorted((one, other) => Number(one.seq - other.seq))
}

/** Any other error would be a failure of the destination. */
function expectRefusal(error: unknown): void {
  if (!(error instanceof UserError)) throw error
}
