import { compareProjects, loadProject, type Project } from '@headrace/catalog'
import { describe, expect, test } from 'vitest'
import { createFolder } from '../support/folder.ts'

const protos = `syntax = "proto3";
message A { string k = 1; string l = 2; int64 t = 3; int64 ts = 4; bytes b = 5; }
message B { string k = 1; }
`

async function load(manifest: string): Promise<Project> {
  const head = 'package: evm\nowner: acme\nversion: 1.0.0\n'
  const { project, problems } = await loadProject(
    await createFolder({ 'manifest.yaml': `${head}${manifest}`, 'a.proto': protos }),
  )
  expect(problems).toEqual([])
  return project!
}

/** Each problem with its severity, code, place and message. Line 1 is the first line of the given text. */
async function compare(before: string, after: string): Promise<string[]> {
  const { topics, problems } = compareProjects(await load(before), await load(after))
  expect(topics).not.toEqual([])
  return problems.map(({ severity, code, line, column, message }) => {
    expect(message).toContain('Or set "topicVersion" to a new version')
    return `${severity} ${code} ${line - 3}:${column} ${message}`
  })
}

/** A manifest with these topics and these properties of its settings. */
const manifest = (topics: string, properties = '') =>
  `topics: [${topics}]\n${properties && `config: { properties: { ${properties} } }\n`}`
const A = (fields = '') => manifest(`{ message: A${fields && `, ${fields}`} }`)
const named = (name: string, properties: string) => manifest(`{ message: A, name: "${name}" }`, properties)
const setting = (name: string, pattern: string, value: string, more = '') =>
  `${name}: { type: string, pattern: "${pattern}", default: ${value}${more && `, ${more}`} }`
const switched = (when: string, properties: string) =>
  manifest(`{ message: A, when: ${when} }, { message: B }`, properties)
const on = (name: string) => `${name}: { type: boolean, default: true }`
const off = (name: string) => `${name}: { type: boolean, default: false }`
const always = manifest('{ message: A }, { message: B }', on('x'))
const two = 'partitions: 2, key: k'

const pairs: readonly (readonly [what: string, before: string, after: string, ...problems: string[]])[] = [
  ['nothing', A(), A()],
  ['a topic added', A(), manifest('{ message: A }, { message: B }')],
  [
    'a topic removed',
    manifest('{ message: A }, { message: B }'),
    A(),
    'error incompatible_schema 1:9 Topic "acme.evm.1_0_0.evm_B" with the message B was removed.',
  ],
  [
    'another name',
    A('name: eth_A'),
    A('name: base_A'),
    'error incompatible_schema 1:9 Topic "acme.evm.1_0_0.eth_A" with the message A was removed.',
  ],
  [
    'another message',
    manifest('{ message: B, name: x_Y }'),
    A('name: x_Y'),
    'error incompatible_schema 1:21 Topic "acme.evm.1_0_0.x_Y" had the message B and would have A.',
  ],
  ['a key added', A(), A('key: k')],
  [
    'another key',
    A('key: k'),
    A('key: l'),
    'error incompatible_schema 1:29 The "key" of topic "acme.evm.1_0_0.evm_A" was "k" and is "l".',
  ],
  [
    'a key removed',
    A('key: k'),
    A(),
    'error incompatible_schema 1:10 The "key" of topic "acme.evm.1_0_0.evm_A" was "k" and is none.',
  ],
  [
    'another time',
    A(),
    A('time: t'),
    'error incompatible_schema 1:30 The "time" of topic "acme.evm.1_0_0.evm_A" was "ts" and is "t".',
  ],
  ['the default time omitted', A('time: ts'), A()],
  ['other bytes', A(), A('bytes: hex'), 'error incompatible_schema 1:31 The "bytes" of topic'],
  ['other bytes of a message without bytes', manifest('{ message: B }'), manifest('{ message: B, bytes: hex }')],
  [
    'other partitions',
    A('key: k'),
    A(two),
    'error incompatible_schema 1:36 The "partitions" of topic "acme.evm.1_0_0.evm_A" was 1 and is 2.',
  ],
  [
    'fewer partitions',
    A(two),
    A('key: k'),
    'error incompatible_schema 1:10 The "partitions" of topic "acme.evm.1_0_0.evm_A" was 2 and is 1.',
  ],
  ['another retention', A(), A('retention: 30d')],
  ['the order of topics', manifest('{ message: A }, { message: B }'), manifest('{ message: B }, { message: A }')],
  ['a "when" that is true by default', always, switched('x', on('x'))],
  [
    'a "when" that is false by default',
    always,
    switched('x', off('x')),
    'warning topic_not_published 1:30 Topic name "evm_A" was published by default, and now only if the setting "x" is true.',
  ],
  [
    'a "when" without a default',
    always,
    switched('x', 'x: { type: boolean }'),
    'warning topic_not_published 1:30 Topic name "evm_A" was published by default',
  ],
  [
    'another default of a "when"',
    switched('x', on('x')),
    switched('x', off('x')),
    'warning topic_not_published 1:30 Topic name "evm_A" was published by default, and now only if the setting "x" is true.',
  ],
  ['a "when" that becomes true by default', switched('x', off('x')), switched('x', on('x'))],
  ['a "when" that stays false', switched('x', off('x')), switched('x', off('x'))],
  ['a "when" removed', switched('x', off('x')), always],
  [
    'another "when" that is false by default',
    switched('x', off('x')),
    switched('y', off('y')),
    'warning topic_not_published 1:30 Topic name "evm_A" was published if the setting "x" is true, and now if "y" is.',
  ],
  ['another "when" that is true by default', switched('x', off('x')), switched('y', on('y'))],
  ['a setting in a name', named('eth_A', ''), named('{c}_A', setting('c', '^[a-z]+$', 'eth'))],
  [
    'a setting in a name with another default',
    named('eth_A', ''),
    named('{c}_A', setting('c', '^[a-z]+$', 'base')),
    'warning topic_not_published 1:30 Topic name "eth_A" was published by default, and "base_A" is now.',
  ],
  [
    'another name of a setting',
    named('{c}_A', setting('c', '^[a-z]+$', 'eth')),
    named('{d}_A', setting('d', '^[a-z]+$', 'eth')),
  ],
  [
    'another default of a setting',
    named('{c}_A', setting('c', '^[a-z]+$', 'eth')),
    named('{c}_A', setting('c', '^[a-z]+$', 'base')),
    'warning topic_not_published 1:30 Topic name "eth_A" was published by default, and "base_A" is now.',
  ],
  [
    'a pattern that no longer matches the default',
    named('{c}_A', setting('c', '^[a-z]+$', 'eth')),
    named('{c}_A', setting('c', '^base$', 'base')),
    'warning topic_not_published 1:30 Topic name "eth_A" was published, but "{c}_A" can no longer become this name: "config" does not allow the value of c.',
  ],
  [
    'a pattern that matches fewer values',
    named('{c}_A', setting('c', '^[a-z]+$', 'eth')),
    named('{c}_A', setting('c', '^(eth|gno)$', 'eth')),
    'warning topic_not_published 1:30 Topic name "base_A" was possible, but "{c}_A" can no longer become this name.',
  ],
  [
    'a pattern with one alternative fewer',
    named('{c}_A', setting('c', '^(eth|gno)$', 'eth')),
    named('{c}_A', setting('c', '^(eth)$', 'eth')),
    'warning topic_not_published 1:30 Topic name "gno_A" was possible',
  ],
  [
    'a wider pattern',
    named('{c}_A', setting('c', '^(eth|gno)$', 'eth')),
    named('{c}_A', setting('c', '^[a-z][a-z0-9-]*$', 'eth')),
  ],
  [
    'an enum with one value fewer',
    named('{c}_A', setting('c', '.', 'eth', 'enum: [eth, gno]')),
    named('{c}_A', setting('c', '.', 'eth', 'enum: [eth]')),
    'warning topic_not_published 1:30 Topic name "gno_A" was possible',
  ],
  [
    'an enum with one value more',
    named('{c}_A', setting('c', '.', 'eth', 'enum: [eth]')),
    named('{c}_A', setting('c', '.', 'eth', 'enum: [eth, gno]')),
  ],
  [
    'a limit of the length added',
    named('{c}_A', setting('c', '^[a-z-]+$', 'eth')),
    named('{c}_A', setting('c', '^[a-z-]+$', 'eth', 'maxLength: 9')),
    'warning topic_not_published 1:30 Topic name "arbitrum-nova-testnet_A" was possible',
  ],
  [
    'a setting removed from a name',
    named('{c}_A', setting('c', '^[a-z]+$', 'eth')),
    named('eth_A', setting('c', '^[a-z]+$', 'eth')),
    'warning topic_not_published 1:30 Topic name "base_A" was possible, but "eth_A" can no longer become this name.',
  ],
  [
    'one setting replaced by two',
    named('{c}_A', setting('c', '^[a-z]+$', 'eth')),
    named('{c}{d}_A', `${setting('c', '^[a-z]$', 'e')}, ${setting('d', '^[a-z]*$', 'th')}`),
    'warning topic_not_published 1:30 Topic name "a_A" was possible',
  ],
  [
    'the same setting twice',
    named('{c}_{d}', `${setting('c', '^[a-z]+$', 'eth')}, ${setting('d', '^[a-z]+$', 'eth')}`),
    named('{c}_{c}', setting('c', '^[a-z]+$', 'eth')),
    'warning topic_not_published 1:30 Topic name "base_eth" was possible',
  ],
]

describe('compareProjects, for a change of topics,', () => {
  test.each(pairs)('reports exactly the expected problems: %s', async (_, before, after, ...expected) => {
    expect(await compare(before, after)).toEqual(expected.map((start) => expect.stringContaining(start)))
  })
})

test('compareProjects compares no topics if the topicVersion differs', async () => {
  const after = await load(`topicVersion: 2.0.0\n${manifest('{ message: B }')}`)
  expect(compareProjects(await load(A()), after)).toEqual({ topics: [], problems: [] })
})
