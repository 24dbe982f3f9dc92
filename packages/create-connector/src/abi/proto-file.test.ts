import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileProtos } from '@headrace/catalog'
import { EventFragment } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { declareEvent } from './contract-files.ts'
import { toMessages } from './event-message.ts'
import { makeProto } from './proto-file.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-proto-'))
})
afterAll(() => rm(folder, { recursive: true }))

test.each<[params: string, fields: string]>([
  ['uint8 a', 'uint64 a = 10;'],
  ['uint64 a', 'uint64 a = 10;'],
  ['uint72 a', 'string a = 10;'],
  ['uint256 a', 'string a = 10;'],
  ['int8 a', 'int64 a = 10;'],
  ['int64 a', 'int64 a = 10;'],
  ['int72 a', 'string a = 10;'],
  ['bool a', 'bool a = 10;'],
  ['address a', 'bytes a = 10;'],
  ['bytes1 a', 'bytes a = 10;'],
  ['bytes a', 'bytes a = 10;'],
  ['string a', 'string a = 10;'],
  ['address indexed a, uint256 indexed b, bytes32 indexed c', 'bytes a = 10; string b = 11; bytes c = 12;'],
  ['string indexed a', '// Hash of the indexed string: the log does not contain the value. bytes a = 10;'],
  ['uint8[2] indexed a', '// Hash of the indexed uint8[2]: the log does not contain the value. bytes a = 10;'],
  ['tuple(uint8 b) indexed a', '// Hash of the indexed (uint8): the log does not contain the value. bytes a = 10;'],
  ['uint256[] a', 'repeated string a = 10;'],
  ['bool[3] a', 'repeated bool a = 10;'],
  ['tuple(uint8 b, string c) a', 'message A { uint64 b = 1; string c = 2; } A a = 10;'],
  ['tuple() a', 'message A { } A a = 10;'],
  ['tuple(uint8 b)[] a', 'message A { uint64 b = 1; } repeated A a = 10;'],
  ['tuple(uint8 A) A', 'message A2 { uint64 A = 1; } A2 A = 10;'],
  ['tuple(tuple(bool c) b) a', 'message A { message B { bool c = 1; } B b = 1; } A a = 10;'],
  ['uint8[][2] a', 'message ARow { repeated uint64 values = 1; } repeated ARow a = 10;'],
  [
    'uint8[][][] a',
    'message ARow { message ValuesRow { repeated uint64 values = 1; } repeated ValuesRow values = 1; } repeated ARow a = 10;',
  ],
  [
    'tuple(bool b)[][] a',
    'message ARow { message Values { bool b = 1; } repeated Values values = 1; } repeated ARow a = 10;',
  ],
])('%s', async (params, fields) => {
  const text = makeProto('Token', toMessages([EventFragment.from(`event Made(${params})`)]))
  const made = /bytes Address = 6;\n([\s\S]*)\n\}\n$/.exec(text)?.[1]
  expect(made?.replaceAll(/\s+/g, ' ').trim()).toBe(fields)
  expect((await compile(text)).problems).toEqual([])
})

test('an event in JSON and its declaration give the same message', () => {
  const components = [{ name: 'b', type: 'uint8[2]' }]
  const inputs = [
    { name: 'key', type: 'tuple', components, indexed: true },
    { name: 'keys', type: 'tuple[]', components, indexed: true },
    { name: 'list', type: 'uint256[]', indexed: true },
    { name: 'a', type: 'tuple[][]', components },
  ]
  const tuple = 'tuple(uint8[2] b)'
  const declared = `event Made(${tuple} indexed key, ${tuple}[] indexed keys, uint256[] indexed list, ${tuple}[][] a)`
  const [fromJson, fromText] = [{ type: 'event', name: 'Made', inputs }, declared].map((event) =>
    toMessages([EventFragment.from(event)]),
  )
  expect(makeProto('Token', fromJson!)).toBe(makeProto('Token', fromText!))
  expect(declareEvent(fromJson![0]!, 'Token.json')).toBe(declared)
})

test('a message begins with the place of its log, and is described by its event', () => {
  const text = makeProto('My-Token', toMessages([EventFragment.from('event Made(uint256 indexed id)')]))
  expect(text).toContain('package my_token;')
  expect(text.slice(text.indexOf('// event'))).toMatchInlineSnapshot(`
    "// event Made(uint256 indexed id)
    message Made {
      // Time of the block.
      google.protobuf.Timestamp ts = 1;
      uint64 BlockNumber = 2;
      // 0x-prefixed lower-case hex.
      string BlockHash = 3;
      string TransactionHash = 4;
      // Index among the logs of the block, from 0.
      uint32 LogIndex = 5;
      // The contract that emitted the log.
      bytes Address = 6;

      string id = 10;
    }
    "
  `)
})

async function compile(text: string) {
  const file = join(folder, 'token.proto')
  await writeFile(file, text)
  return compileProtos([file])
}
