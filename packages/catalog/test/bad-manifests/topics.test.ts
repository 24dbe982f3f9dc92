import { expect, it } from 'vitest'
import { head, problemsOf } from '../support/manifest-problems.ts'

// The mistake, the lines before it, the lines with it, and every reported problem as it is printed.
it.each([
  [
    'topics as a map',
    head,
    `topics: { message: Block }`,
    'manifest.yaml:4:9: error: "topics" is a map; it must be a list with at least one topic.',
  ],
  [
    'topics as a string',
    head,
    `topics: Block`,
    'manifest.yaml:4:9: error: "topics" is "Block"; it must be a list with at least one topic.',
  ],
  [
    'an empty list of topics',
    head,
    `topics: []`,
    'manifest.yaml:4:9: error: "topics" is an empty list; it must be a list with at least one topic.',
  ],
  [
    'a topic that is a string',
    head,
    `topics: [Block]`,
    'manifest.yaml:4:10: error: A topic is "Block"; it must be a map such as  { message: Block, key: Hash }',
  ],
  [
    'a topic that is empty',
    head,
    `topics:
  -`,
    'manifest.yaml:5:4: error: A topic is empty; it must be a map such as  { message: Block, key: Hash }',
  ],
  [
    'a topic without a message',
    head,
    `topics:
  - name: a_B`,
    'manifest.yaml:5:5: error: The field "message" of this topic is missing. Add the name of the message that it carries: acme.evm.Block, acme.evm.Part, acme.evm.Log.',
  ],
  [
    'a topic with a typo in the field "message"',
    head,
    `topics:
  - mesage: Block`,
    'manifest.yaml:5:5: warning: The field "mesage" is unknown. Did you mean "message"?',
    'manifest.yaml:5:5: error: The field "message" of this topic is missing. Add the name of the message that it carries: acme.evm.Block, acme.evm.Part, acme.evm.Log.',
  ],
  [
    'a message that is a number',
    head,
    `topics:
  - message: 3`,
    'manifest.yaml:5:14: error: "message" is 3 (a number); it must be a string. Put it in quotes.',
  ],
  [
    'a message with a typo',
    head,
    `topics:
  - message: Blok`,
    'manifest.yaml:5:14: error: The .proto files define no message "Blok". Did you mean "Block"?',
  ],
  [
    'a message that is similar to none',
    head,
    `topics:
  - message: Zzzzzzzz`,
    'manifest.yaml:5:14: error: The .proto files define no message "Zzzzzzzz". They define acme.evm.Block, acme.evm.Part, acme.evm.Log.',
  ],
  [
    'a message of another package',
    head,
    `topics:
  - message: acme.base.Block`,
    'manifest.yaml:5:14: error: The .proto files define no message "acme.base.Block". Did you mean "acme.evm.Block"?',
  ],
  [
    'a well-known type as a message',
    head,
    `topics:
  - message: google.protobuf.Timestamp`,
    'manifest.yaml:5:14: error: The .proto files define no message "google.protobuf.Timestamp". They define acme.evm.Block, acme.evm.Part, acme.evm.Log.',
  ],
  [
    'a message with two topics',
    head,
    `topics:
  - message: Block
    name: a_B
  - message: acme.evm.Block
    name: b_B`,
    'manifest.yaml:7:5: error: Message acme.evm.Block already has a topic, and can have only one. For a second topic define a second message.',
  ],
  [
    'a "when" that is not a string',
    `${head}config: { properties: { logs: { type: boolean } } }\n`,
    `topics:
  - { message: Log, when: true }`,
    'manifest.yaml:6:27: error: "when" is true (a boolean); it must be a string. Put it in quotes.',
  ],
  [
    'a "when" without settings',
    head,
    `topics:
  - { message: Log, when: logs }`,
    'manifest.yaml:5:27: error: "config" has no setting "logs" to use for "when". Possible settings: none.',
  ],
  [
    'a "when" with a typo',
    `${head}config: { properties: { logs: { type: boolean } } }\n`,
    `topics:
  - { message: Log, when: log }`,
    'manifest.yaml:6:27: error: "config" has no setting "log" to use for "when". Did you mean "logs"?',
  ],
  [
    'a "when" that names a numeric setting',
    `${head}config: { properties: { depth: { type: integer }, logs: { type: boolean } } }\n`,
    `topics:
  - { message: Log, when: depth }`,
    'manifest.yaml:6:27: error: The setting "depth" cannot be used for "when": it must have "type: boolean". Possible settings: logs.',
  ],
] as const)('loadProject reports %s', async (_, before, lines, ...problems) => {
  expect(await problemsOf(`${before}${lines}\n`)).toEqual(problems)
})
