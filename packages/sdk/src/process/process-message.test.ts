import { join } from 'node:path'
import { create, type DescMessage, fromBinary, toBinary, toJson } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { compileProtos } from '@headrace/catalog'
import { beforeAll, expect, test } from 'vitest'
import { decodeChildMessage, encodeParentMessage, type ParentMessage } from './process-message.ts'

let messages: Record<'ToChild' | 'FromChild', DescMessage>
let descriptor: (name: string) => DescMessage
let descriptors: Uint8Array
beforeAll(async () => {
  const root = join(import.meta.dirname, '../../proto')
  const { schema, problems } = await compileProtos([join(root, 'process.proto')], { root })
  expect(problems).toEqual([])
  descriptors = withoutComments(schema!.descriptors)
  descriptor = (name) => schema!.message(`headrace.process.v1.${name}`)!
  messages = { ToChild: descriptor('ToChild'), FromChild: descriptor('FromChild') }
})

function withoutComments(descriptors: Uint8Array): Uint8Array {
  const { file } = fromBinary(FileDescriptorSetSchema, descriptors)
  const plain = file.map(({ sourceCodeInfo: _, ...rest }) => rest)
  return toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file: plain }))
}

// After a change: npx vitest run packages/sdk/src/process/process-message.test.ts -u
test('the generated descriptors are those of process.proto', async () => {
  const code = `// Generated from process.proto.\nexport const processDescriptors = '${Buffer.from(descriptors).toString('base64')}'\n`
  await expect(code).toMatchFileSnapshot('generated/process-descriptors.ts')
})

const parentMessages: [ParentMessage, object][] = [
  [
    {
      kind: 'start',
      protocol: 1,
      config: '{"chain":"é"}',
      history: ['{"at":2}', '1'],
      messages: ['a.Block', 'a.Tx'],
      pendingUnits: 1000,
      frameBytes: 67_108_864,
    },
    {
      start: {
        protocol: 1,
        config: '{"chain":"é"}',
        history: ['{"at":2}', '1'],
        messages: ['a.Block', 'a.Tx'],
        pendingUnits: 1000,
        frameBytes: 67_108_864,
      },
    },
  ],
  [{ kind: 'committed', unit: 300 }, { committed: { unit: '300' } }],
  [{ kind: 'stop' }, { stop: {} }],
]

test.each(parentMessages)('$0.kind is encoded as process.proto defines', (message, json) => {
  const frame = Buffer.from(encodeParentMessage(message))
  expect(frame.readUInt32BE()).toBe(frame.length - 4)
  expect(toJson(messages.ToChild, fromBinary(messages.ToChild, frame.subarray(4)))).toEqual(json)
})

const allOfUnit = {
  number: 7n,
  checkpoint: '{"at":"é"}',
  messages: [
    { type: 0, value: Uint8Array.of(8, 1) },
    { type: 1, value: new Uint8Array(0) },
  ],
  revertTo: 'null',
  final: '3',
  timeMs: 1_700_000_000_123n,
}
const childMessages: [string, string, Record<string, unknown>, object][] = [
  ['ready', 'Ready', { protocol: 1 }, { protocol: 1 }],
  ['unit', 'Unit', allOfUnit, { ...allOfUnit, number: 7, timeMs: 1_700_000_000_123 }],
  [
    'unit',
    'Unit',
    { number: 1n, checkpoint: '1' },
    { number: 1, checkpoint: '1', messages: [], revertTo: undefined, final: undefined, timeMs: undefined },
  ],
  ['progress', 'Progress', { at: 1.5, head: 2 }, { at: 1.5, head: 2 }],
  ['failed', 'Failed', { text: 'no', retry: true }, { text: 'no', retry: true }],
  ['done', 'Done', {}, {}],
]

test.each(childMessages)('%s is decoded as process.proto defines', (kind, type, fields, expected) => {
  const message = create(messages.FromChild, { message: { case: kind, value: create(descriptor(type), fields) } })
  const bytes = toBinary(messages.FromChild, message)
  expect(decodeChildMessage(bytes)).toEqual({ kind, ...expected })
})

test('unknown fields are skipped', () => {
  const later = Buffer.from('2209' + '0a026e6f' + '1001' + 'd00f05', 'hex')
  expect(decodeChildMessage(later)).toEqual({ kind: 'failed', text: 'no', retry: true })
})

test('a message that is cut off anywhere is rejected', () => {
  const value = create(descriptor('Unit'), allOfUnit)
  const bytes = toBinary(messages.FromChild, create(messages.FromChild, { message: { case: 'unit', value } }))
  for (let length = 1; length < bytes.length; length++)
    expect(() => decodeChildMessage(bytes.subarray(0, length)), `${length} bytes`).toThrow()
})

test.each([
  ['a message that is longer than its field', '1206' + '1a02' + '120161' + '0801', /the message is cut off/],
  ['a field with another wire type', '2812', /field 5 has the wire type 0/],
  ['a text that is no UTF-8', '12031201ff', /a string field is not UTF-8/],
  ['a field with the number 0', '0000', /a field has the number 0/],
])('%s is rejected', (_, hex, error) => {
  expect(() => decodeChildMessage(Buffer.from(hex, 'hex'))).toThrow(error)
})
