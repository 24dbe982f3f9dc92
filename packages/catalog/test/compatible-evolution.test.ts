import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  compileProtos,
  createRecordRenderer,
  type SchemaSet,
  type TopicRegistration,
  withCursor,
} from '@headrace/catalog'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareTopics } from '../src/compatibility/compare-topics.ts'
import { arbitraryMessage } from './support/arbitrary-message.ts'
import { arbitraryChange, arbitraryProto, type ProtoModel, printProto } from './support/arbitrary-proto.ts'
import { createFolder } from './support/folder.ts'

it('stored records are rendered as before after every compatible change', async () => {
  const root = await createFolder({})
  const counts = { compared: 0, compatible: 0, refused: 0 }
  const property = fc.asyncProperty(
    arbitraryProto(),
    arbitraryChange(),
    fc.infiniteStream(fc.nat()),
    async (before, change, seeds) => {
      const after = change(before)
      const old = await compile(root, before)
      const now = await compile(root, after)
      if (!old || !now) return
      if (compareTopics(registration(old), registration(now)).length > 0) {
        counts.refused++
        return
      }
      counts.compatible++
      const removed = new Set(after.messages.flatMap(({ reserved }) => reserved))
      const [readOld, readNow] = [reader(old), reader(now)]
      const seed = seeds.next().value as number
      for (const value of fc.sample(arbitraryMessage(old.message('M')!), { numRuns: 10, seed })) {
        const rendered = readOld(value)
        if (rendered.error) continue
        expect(readNow(value)).toEqual(expect.objectContaining({ value: expect.anything() }))
        expectKept(rendered.value, readNow(value).value, removed)
        counts.compared++
      }
    },
  )
  await fc.assert(property, { numRuns: 250 })
  expect(counts.compatible).toBeGreaterThan(40)
  expect(counts.refused).toBeGreaterThan(40)
  expect(counts.compared).toBeGreaterThan(200)
})

/** Expects every former value, except those of removed fields. New fields may be added. */
function expectKept(before: unknown, after: unknown, removed: ReadonlySet<unknown>): void {
  if (typeof before !== 'object' || before === null || Array.isArray(before) || typeof after !== 'object') {
    if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
      for (const [index, item] of before.entries()) expectKept(item, after[index], removed)
    else expect(after).toEqual(before)
    return
  }
  for (const [name, value] of Object.entries(before))
    if (!removed.has(name)) expectKept(value, (after as Record<string, unknown>)[name], removed)
}

async function compile(root: string, model: ProtoModel): Promise<SchemaSet | undefined> {
  const file = join(root, 'a.proto')
  await writeFile(file, printProto(model))
  return (await compileProtos([file], { root })).schema
}

function reader(schema: SchemaSet): (value: Uint8Array) => { value: unknown; error?: unknown } {
  const renderer = createRecordRenderer(registration(schema))
  const record = { topic: 'a.b.1_0_0.c_M', partition: 0, offset: 1n, time: 0, key: null, headers: [] }
  return (value) => JSON.parse(Buffer.from(withCursor(renderer.render({ ...record, value }), 'AQ')).toString())
}

function registration({ descriptors }: SchemaSet): TopicRegistration {
  return {
    topic: 'a.b.1_0_0.c_M',
    lineage: 'a.b.1_0_0',
    instance: 'main',
    connector: { owner: 'a', package: 'b', version: '1.0.0' },
    message: 'M',
    descriptors,
    bytes: 'base64',
    partitions: 1,
  }
}
