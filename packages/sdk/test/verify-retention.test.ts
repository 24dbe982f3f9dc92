import { pathToFileURL } from 'node:url'
import type { Queue } from '@headrace/queue'
import { createTestProject, type TestProject } from '@headrace/sdk/testing'
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { chainConnector, unitOf } from './chain/connector.ts'
import { type ChainCopy, copyChain } from './chain/copy.ts'
import { newChain, openChain, openFixed } from './chain/open.ts'
import { parseScript, scriptConnector } from './reverts/script.ts'
import { comparingChain, verifyProject } from './verify-project.ts'

const lastUnit = 21

const engines: [string, string | undefined][] = [['embedded', undefined]]
const kafka = inject('kafka')
if (kafka) engines.push(['Kafka', `kafka://${kafka}`])

/** A project whose topics have a retention that removes nothing in a run. The tests remove the records instead. */
let retaining: ChainCopy
beforeAll(async () => {
  retaining = await copyChain()
  await retaining.rewrite((manifest) => manifest.replaceAll('    key: Hash\n', '    key: Hash\n    retention: 1TiB\n'))
})
afterAll(() => retaining.remove())

let first: TestProject
beforeEach(async () => {
  first = await openFixed(pathToFileURL(retaining.dir))
})
afterEach(() => first.close())

/** Blocks 0 to 20. Block 20 makes block `number` final. */
const finalAt = (number: number) =>
  chainConnector((unit) => (unit.checkpoint.number === 20 ? { ...unit, final: unitOf(number).checkpoint } : unit))

const units = (from: number) => Array.from({ length: lastUnit + 1 - from }, (_, index) => from + index)

/** The unit after the first remaining one of each partition with removed records. */
async function firstWholeUnit({ records }: TestProject): Promise<number> {
  const published = [await records('Block'), await records('Transaction')]
  const partitions = published.flatMap((list) => [...Map.groupBy(list, ({ partition }) => partition).values()])
  return Math.max(1, ...partitions.map(([oldest]) => (oldest!.seq! > 0 ? oldest!.unit! + 1 : 1)))
}

/** Removes every transaction. */
async function removeTransactions({ queue, instance }: TestProject): Promise<void> {
  const { name } = instance.topics.find(({ message }) => message.endsWith('.Transaction'))!
  const [description] = await queue.describe([name])
  for (const [partition, { end }] of description!.partitions.entries()) await queue.deleteBefore(name, partition, end)
}

test.each(engines)('verify compares the units that retention has kept completely on %s', async (_, queue) => {
  const copy = await copyChain()
  try {
    await copy.rewrite((manifest) => manifest.replaceAll('    key: Hash\n', '    key: Hash\n    retention: 1h\n'))
    await using project = await createTestProject(copy.dir, {
      settings: { chain: newChain() },
      ...(queue && { queue }),
    })
    const connector = finalAt(10)
    await project.run(connector)
    await project.run(connector)
    const firstWhole = await firstWholeUnit(project)
    expect(firstWhole).toBeGreaterThan(12)
    const right = comparingChain(connector)
    expect(await verifyProject(project, right.connector)).toMatchObject({
      findings: [],
      summary: { firstUnit: firstWhole },
    })
    expect(right.compared).toEqual(units(firstWhole))
  } finally {
    await copy.remove()
  }
})

test('units after the final one are compared if retention has emptied another topic', async () => {
  const connector = finalAt(19)
  await first.run(connector)
  // Block 20 has no transactions.
  await removeTransactions(first)
  const right = comparingChain(connector)
  expect(await verifyProject(first, right.connector)).toMatchObject({
    findings: [],
    summary: { firstUnit: lastUnit, lastUnit, units: 1, compared: 1 },
  })
  const other = comparingChain(connector, (number) => ({
    Block: [{ ...unitOf(number).messages.Block[0]!, Number: 7n }],
  }))
  const { findings } = await verifyProject(first, other.connector)
  expect(findings).toMatchObject([{ code: 'message_differs', unit: lastUnit, expected: { Number: '7' } }])
})

test('no unit is compared if retention has removed a part of each, and the summary reports that', async () => {
  const connector = finalAt(20)
  await first.run(connector)
  await removeTransactions(first)
  const right = comparingChain(connector)
  expect(await verifyProject(first, right.connector)).toMatchObject({
    findings: [],
    summary: { firstUnit: lastUnit + 1, lastUnit, units: 0, compared: 0 },
  })
  expect(right.compared).toEqual([])
})

test('missing records are found without a retention, and after the final unit', async () => {
  await using forever = await openChain()
  for (const [project, final] of [
    [forever, 20],
    [first, 10],
  ] as const) {
    const connector = finalAt(final)
    await project.run(connector)
    await removeTransactions(project)
    const { findings, summary } = await verifyProject(project, connector, { compare: 'none' })
    expect(findings).toMatchObject(
      [13, 6, 8].map((last, partition) => ({ code: 'seq_missing', partition, seq: 0, expected: { first: 0, last } })),
    )
    expect(summary).toMatchObject({ firstUnit: lastUnit + 1, lastUnit, findings: 3 })
  }
})

/** A queue that returns one batch of a data topic at a time, and runs a function before each of these reads. */
function interruptedQueue(queue: Queue, topics: ReadonlySet<string>, before: (time: number) => Promise<void>): Queue {
  let times = 0
  return Object.create(queue, {
    read: {
      value: async (at: Parameters<Queue['read']>[0], limits: Parameters<Queue['read']>[1]) => {
        if (!topics.has(at.topic)) return queue.read(at, limits)
        await before(++times)
        return queue.read(at, { ...limits, maxBytes: 1 })
      },
    },
  })
}

/** Removes a part of the records that are not revertible, as retention does. */
async function removeFinal(project: TestProject, part: number): Promise<void> {
  const { queue, instance } = project
  const { final } = (await project.storedCheckpoint())!
  for (const { name, message } of instance.topics) {
    const published = Map.groupBy(await project.records(message), ({ partition }) => partition)
    for (const [partition, nextSeq] of final!.nextSeq[name]!.entries()) {
      const kept = published.get(partition)?.find(({ seq }) => seq! >= Math.floor(nextSeq * part))
      const { end } = (await queue.describe([name]))[0]!.partitions[partition]!
      await queue.deleteBefore(name, partition, kept?.offset ?? end)
    }
  }
}

test('nothing is found if retention removes records during the audit, and whole units are compared', async () => {
  const script = parseScript('a0 a1 a2 a0<b1 b2 b3! b4 b5 b3<c4 c5 c6 c5<d6! d7 d8 d6<e7 e8 e9 e8<f9 f10')
  const messagesOf = (number: number) => script[number]!.messages
  const connector = scriptConnector(script)
  const verifyWith = async (before: (project: TestProject, time: number) => Promise<void>) => {
    await using project = await openFixed(pathToFileURL(retaining.dir))
    await project.run(connector, { oneByOne: true })
    const comparing = comparingChain(connector, messagesOf)
    const topics = new Set(project.instance.topics.map(({ name }) => name))
    const queue = interruptedQueue(project.queue, topics, (time) => before(project, time))
    const { findings } = await verifyProject(project, comparing.connector, { queue })
    return { findings, compared: comparing.compared, firstWhole: await firstWholeUnit(project) }
  }
  let reads = 0
  const undisturbed = await verifyWith(async (_, time) => {
    reads = time
  })
  const canonical = undisturbed.compared
  expect(undisturbed.findings).toEqual([])
  expect(canonical).toEqual([1, 4, 5, 6, 9, 10, 12, 15, 16, 18, 19])

  for (let time = 1; time <= reads; time += 7) {
    let removals = 0
    const { findings, compared, firstWhole } = await verifyWith(async (project, now) => {
      if (now !== time && now !== time + 9) return
      removals++
      await removeFinal(project, now === time ? 0.6 : 1)
    })
    const reported = `removed at reading ${time} of ${reads}`
    expect(removals, reported).toBeGreaterThan(0)
    expect(findings, reported).toEqual([])
    expect(firstWhole, reported).toBeGreaterThan(6)
    // Earlier units that were read before retention removed their records.
    expect(compared, reported).toEqual(canonical.filter((unit) => compared.includes(unit)))
    expect(compared, reported).toEqual(expect.arrayContaining(canonical.filter((unit) => unit >= firstWhole)))
  }
})
