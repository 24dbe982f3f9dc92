import { resolveTopics } from '@headrace/catalog'
import { defineConnector, type VerifyFinding } from '@headrace/sdk'
import type { TestProject } from '@headrace/sdk/testing'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { readReferencePage } from '../../testbed/reference/reference-page.ts'
import { type ChainCopy, copyChain } from './chain/copy.ts'
import { newChain, openChain } from './chain/open.ts'
import { parseScript, scriptConnector } from './reverts/script.ts'
import { checkpointKinds } from './tampering/checkpoint-kinds.ts'
import { hiddenKinds } from './tampering/hidden-kinds.ts'
import type { Kind } from './tampering/kind.ts'
import { type PublishedCopy, readCopy, writeCopies } from './tampering/published-copy.ts'
import { recordKinds } from './tampering/record-kinds.ts'
import { revertKinds } from './tampering/revert-kinds.ts'
import { topicKinds } from './tampering/topic-kinds.ts'
import { verifyProject } from './verify-project.ts'

const script = parseScript(
  'a0 a1 a2! a3 a4 a5 a3<b4 b5 b6 b7 b5<c6 c7 c8! c9 c10 c11 c12 c10<d11 d12 d13 d13< d14 d15 d16 d17',
)
const connector = defineConnector({
  ...scriptConnector(script),
  async *verify({ units }) {
    for await (const unit of units) if (unit.compare) yield* unit.differences(script[unit.unit - 1]!.messages ?? {})
  },
})
const places = [
  { message: 'Block', partition: 0 },
  { message: 'Transaction', partition: 1 },
]

let source: TestProject
let copy: PublishedCopy
let retaining: ChainCopy
beforeAll(async () => {
  retaining = await copyChain()
  await retaining.rewrite((manifest) => manifest.replaceAll('    key: Hash\n', '    key: Hash\n    retention: 1TiB\n'))
  source = await openChain()
  await source.run(connector, { oneByOne: true })
  copy = await readCopy(source)
})
afterAll(async () => {
  await source?.close()
  await retaining?.remove()
})

function shortOf({ code, topic, partition, seq, unit }: VerifyFinding): string {
  const where = topic && [topic.split('_').at(-1), partition].filter((part) => part !== undefined).join('/')
  const place = seq ?? (unit === undefined ? undefined : `u${unit}`)
  return [code, where, place].filter((part) => part !== undefined).join(' ')
}

/** Another instance on the same queue, because opening a project takes longer than verifying it. */
function otherInstance(project: TestProject): TestProject {
  const settings = { ...project.settings, values: { ...project.settings.values, chain: newChain() } }
  return { ...project, settings, instance: resolveTopics(project.project, settings) }
}

/** Publishes every kind as a separate instance, and verifies each. */
async function expectFound(project: TestProject, kinds: readonly Kind[]): Promise<void> {
  const retained = await project.openOther(retaining.dir)
  const instances = kinds.map(({ hasRetention }) => otherInstance(hasRetention ? retained : project))
  const copies = kinds.map(({ tamper }, index) => ({ instance: instances[index]!.instance, copy: tamper(copy) }))
  await writeCopies(project.queue, copies)
  for (const [index, { name, found, compared, notVisible }] of kinds.entries()) {
    const findings = async (compare: 'all' | 'none') =>
      (await verifyProject(instances[index]!, connector, { compare })).findings.map(shortOf).sort()
    expect.soft(await findings('none'), name).toEqual(found.toSorted())
    if (compared) expect.soft(await findings('all'), `${name}, with the source`).toEqual(compared.toSorted())
    expect(found.length > 0, `${name} is found, or said not to be visible`).toBe(notVisible === undefined)
  }
}

/** On embedded queues. Each verification reads the checkpoints of all instances of its queue, so few share one. */
async function expectFoundEmbedded(kinds: readonly Kind[]): Promise<void> {
  const instances = 16
  for (let at = 0; at < kinds.length; at += instances) {
    await using project = await openChain()
    await expectFound(project, kinds.slice(at, at + instances))
  }
}

test('nothing is found in an unchanged copy', async () => {
  const right: Kind = { name: 'a copy', tamper: (copy) => copy, found: [], compared: [], notVisible: '' }
  await expectFoundEmbedded([right])
})

test('at least 150 kinds of tampering are found, each at its place', async () => {
  const kinds = [
    ...places.flatMap((place) => recordKinds(copy, place)),
    ...places.flatMap((place) => revertKinds(copy, place)),
    ...topicKinds(copy),
    ...checkpointKinds(copy),
  ]
  expect(kinds.length).toBeGreaterThanOrEqual(150)
  await expectFoundEmbedded(kinds)
})

test('the kinds that are not visible are exactly those of the guide', async () => {
  const kinds = hiddenKinds(copy)
  const named = readReferencePage('../guides/verify.md').rows('What it cannot see', 'not visible')
  expect([...new Set(kinds.map(({ notVisible }) => notVisible))].sort()).toEqual(named.map(([name]) => name!).sort())
  await expectFoundEmbedded(kinds)
})

test.skipIf(inject('kafka') === null)('tampering on Kafka is found at the same places', async () => {
  await using project = await openChain({
    queue: `kafka://${inject('kafka')}`,
    settings: { chain: newChain() },
  })
  const [blocks] = places
  // The audit of the records does not depend on the engine.
  const some = /first three|last two|all records are removed/
  const kinds = [...recordKinds(copy, blocks!), ...revertKinds(copy, blocks!), ...topicKinds(copy)]
  const chosen = kinds.filter(({ name }) => some.test(name) || /partition is missing/.test(name))
  expect(chosen.length).toBeGreaterThanOrEqual(4)
  await expectFound(project, chosen)
})
