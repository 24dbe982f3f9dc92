import { expect, it } from 'vitest'
import { head, problemsOf } from '../support/manifest-problems.ts'

// The mistake, the lines before it, the lines with it, and every reported problem as it is printed.
it.each([
  [
    'a name of one segment',
    head,
    `topics:
  - message: Block
    name: Block`,
    'manifest.yaml:6:11: error: Topic name "Block" is not allowed: its last segment "Block" must have the form <contract>_<EventName>. Write it as <contract>_<EventName>, such as ethereum_Block.',
  ],
  [
    'an empty name',
    head,
    `topics:
  - message: Block
    name: ""`,
    'manifest.yaml:6:11: error: Topic name "" is not allowed: it is empty. Write it as <contract>_<EventName>, such as ethereum_Block.',
  ],
  [
    'a name that is a number',
    head,
    `topics:
  - message: Block
    name: 3`,
    'manifest.yaml:6:11: error: "name" is 3 (a number); it must be a string. Put it in quotes.',
  ],
  [
    'a name with a dot',
    head,
    `topics:
  - message: Block
    name: eth.v1_Block`,
    'manifest.yaml:6:11: error: Topic name "eth.v1_Block" is not allowed: it contains ".". The segments with owner, package and version are added automatically. Write it as <contract>_<EventName>, such as ethereum_Block.',
  ],
  [
    'a name with a space',
    head,
    `topics:
  - message: Block
    name: eth Block_1`,
    'manifest.yaml:6:11: error: Topic name "eth Block_1" is not allowed: it holds " ", but only letters, digits, ".", "_" and "-" are allowed. Write it as <contract>_<EventName>, such as ethereum_Block.',
  ],
  [
    'a name with a slash',
    head,
    `topics:
  - message: Block
    name: eth/Block_1`,
    'manifest.yaml:6:11: error: Topic name "eth/Block_1" is not allowed: it holds "/", but only letters, digits, ".", "_" and "-" are allowed. Write it as <contract>_<EventName>, such as ethereum_Block.',
  ],
  [
    'a name that ends with an underscore',
    head,
    `topics:
  - message: Block
    name: eth_`,
    'manifest.yaml:6:11: error: Topic name "eth_" is not allowed: its last segment "eth_" must have the form <contract>_<EventName>. Write it as <contract>_<EventName>, such as ethereum_Block.',
  ],
  [
    'a name that two topics have',
    head,
    `topics:
  - { message: Block, name: a_B }
  - { message: Log, name: a_B }`,
    'manifest.yaml:6:27: error: Topic name "a_B" is used twice. Give each topic a unique "name".',
  ],
  [
    'a brace that is not closed',
    head,
    `topics:
  - message: Block
    name: "{chain_Block"`,
    'manifest.yaml:6:11: error: Topic name "{chain_Block" is not allowed: it contains a "{" or "}" that does not enclose a setting. Write a setting as {name}, such as {chain}_Block.',
  ],
  [
    'empty braces',
    head,
    `topics:
  - message: Block
    name: "{}_Block"`,
    'manifest.yaml:6:11: error: Topic name "{}_Block" is not allowed: it contains a "{" or "}" that does not enclose a setting. Write a setting as {name}, such as {chain}_Block.',
  ],
  [
    'a setting that does not exist',
    head,
    `topics:
  - message: Block
    name: "{chain}_Block"`,
    'manifest.yaml:6:11: error: Topic name "{chain}_Block": "config" has no setting "chain". Add it there, with "type: string", "pattern" and "default".',
  ],
  [
    'a setting with a typo',
    head,
    `topics:
  - message: Block
    name: "{chian}_Block"
config:
  properties:
    chain: { type: string, pattern: "^[a-z]+$", default: eth }`,
    'manifest.yaml:6:11: error: Topic name "{chian}_Block": "config" has no setting "chian". Did you mean "chain"?',
  ],
  [
    'a setting without a pattern and a default',
    head,
    `topics:
  - message: Block
    name: "{chain}_Block"
config:
  properties:
    chain: { type: string }`,
    'manifest.yaml:6:11: error: Topic name "{chain}_Block": the setting "chain" needs "pattern" and "default" in "config", because it is in a topic name.',
  ],
  [
    'a setting that is a number',
    head,
    `topics:
  - message: Block
    name: "{id}_Block"
config:
  properties:
    id: { type: integer, default: 1 }`,
    'manifest.yaml:6:11: error: Topic name "{id}_Block": the setting "id" needs "type: string" and "pattern" in "config", because it is in a topic name.',
  ],
  [
    'a setting that is a secret',
    head,
    `topics:
  - message: Block
    name: "{chain}_Block"
config:
  properties:
    chain: { type: string, pattern: "^[a-z]+$", default: eth, writeOnly: true }`,
    'manifest.yaml:6:11: error: Topic name "{chain}_Block": the setting "chain" is a secret, but topic names are public. Use another setting.',
  ],
  [
    'a default that makes the name invalid',
    head,
    `topics:
  - message: Block
    name: "{chain}_Block"
config:
  properties:
    chain: { type: string, pattern: "^.*$", default: a/b }`,
    'manifest.yaml:6:11: error: Topic name "a/b_Block" is not allowed: it holds "/", but only letters, digits, ".", "_" and "-" are allowed. Write it as <contract>_<EventName>, such as ethereum_Block.',
  ],
] as const)('loadProject reports %s', async (_, before, lines, ...problems) => {
  expect(await problemsOf(`${before}${lines}\n`)).toEqual(problems)
})

it('loadProject reports a topic name that is longer than Kafka allows', async () => {
  const name = `${'x'.repeat(233)}_B`
  expect(await problemsOf(`${head}topics:\n  - message: Block\n    name: ${name}\n`)).toEqual([
    `manifest.yaml:6:11: error: Topic name "${name}" is not allowed: it has 250 characters, and at most 249 are allowed. Write it ` +
      'as <contract>_<EventName>, such as ethereum_Block.',
  ])
})
