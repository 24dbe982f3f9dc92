import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../../test/support/folder.ts'
import { formatProblem } from '../problem.ts'
import { loadProject } from './load-project.ts'

const proto = `syntax = "proto3";
package acme.evm;
import "google/protobuf/timestamp.proto";
message Block {
  google.protobuf.Timestamp ts = 1;
  string Hash = 2;
  uint64 Number = 3;
  double Size = 4;
  repeated Part parts = 5;
}
message Part { string name = 1; }
message Log { int64 when = 1; }
`
const head = 'package: evm\nowner: acme\nversion: 1.0.0\n'

/** The problems of a manifest beside the .proto above, without the folder's path. */
async function problemsOf(manifest: string, files: Record<string, string> = { 'proto/evm.proto': proto }) {
  const folder = await createFolder({ 'manifest.yaml': manifest, ...files })
  const { project, problems } = await loadProject(folder)
  const lines = problems.map((problem) => formatProblem({ ...problem, file: problem.file.slice(folder.length + 1) }))
  expect(project === undefined).toBe(problems.some(({ severity }) => severity === 'error'))
  return lines
}

describe('loadProject', () => {
  it('fills in everything when only the three required fields are there', async () => {
    const folder = await createFolder({ 'manifest.yaml': head, 'proto/evm.proto': proto })
    const { project, problems } = await loadProject(folder)
    expect(problems).toEqual([])
    expect(project).toMatchObject({ dir: folder, lineage: 'acme.evm.1_0_0' })
    expect(project?.manifest).toEqual({
      package: 'evm',
      owner: 'acme',
      version: '1.0.0',
      topicVersion: '1.0.0',
      declaresTopicVersion: false,
      proto: [join(folder, 'proto/evm.proto')],
      config: { type: 'object', additionalProperties: false },
      topics: [
        {
          message: 'acme.evm.Block',
          name: 'evm_Block',
          time: 'ts',
          bytes: 'base64',
          partitions: 1,
          retention: 'forever',
        },
        { message: 'acme.evm.Log', name: 'evm_Log', bytes: 'base64', partitions: 1, retention: 'forever' },
      ],
    })
  })

  it('takes what the manifest says', async () => {
    const manifest = `${head}topicVersion: 0.9.0
title: Blocks
run: { command: [python3, connector.py] }
proto: evm.proto
x-note: mine
topics:
  - { message: Block, name: "{chain}_Block", key: Hash, bytes: hex, partitions: 4, retention: 30d }
  - { message: acme.evm.Log, name: logs_Log, time: when }
config:
  properties:
    chain: { type: string, pattern: "^[a-z]+$", default: ethereum }
`
    const folder = await createFolder({ 'manifest.yaml': manifest, 'evm.proto': proto })
    const { project, problems } = await loadProject(folder)
    expect(problems).toEqual([])
    expect(project).toMatchObject({
      lineage: 'acme.evm.0_9_0',
      manifest: {
        topicVersion: '0.9.0',
        declaresTopicVersion: true,
        title: 'Blocks',
        run: { command: ['python3', 'connector.py'] },
        topics: [
          {
            message: 'acme.evm.Block',
            name: '{chain}_Block',
            key: 'Hash',
            time: 'ts',
            bytes: 'hex',
            partitions: 4,
            retention: '30d',
          },
          { message: 'acme.evm.Log', name: 'logs_Log', time: 'when' },
        ],
      },
    })
  })

  it('says what is missing, at the place of the map that lacks it', async () => {
    expect(await problemsOf('# nothing yet\nowner: acme\n')).toEqual([
      'manifest.yaml:2:1: error: The field "package" is missing. Add, for example,  package: evm',
      'manifest.yaml:2:1: error: The field "version" is missing. Add, for example,  version: 1.0.0',
    ])
    expect(await problemsOf(`${head}topics:\n  - name: a_B\n`)).toEqual([
      'manifest.yaml:5:5: error: The field "message" of this topic is missing. It names the message that the topic carries.',
    ])
  })

  it('finds no project where there is none', async () => {
    const { project, problems } = await loadProject(await createFolder({}))
    expect(project).toBeUndefined()
    expect(problems).toMatchObject([{ code: 'manifest_not_found', line: 1, column: 1 }])
  })

  it.each([
    ['package: EVM\nowner: acme\nversion: 1.0.0', '1:10: error: "package" is "EVM"; it must be lower-case letters'],
    [
      'package: evm\nowner: acme\nversion: 1.0',
      '3:10: error: "version" is 1.0 (a number); it must be a version of three numbers',
    ],
    ['package: evm\nowner: acme\nversion: 01.0.0', '3:10: error: "version" is "01.0.0"; it must be a version'],
    [`${head}topicVersion: latest`, '4:15: error: "topicVersion" is "latest"'],
    [`${head}title: [a]`, '4:8: error: "title" is a list; it must be a text'],
    [`${head}run: { command: [] }`, '4:17: error: "run" is a list; it must be the path of a module'],
    [`${head}run: { comand: [x] }`, 'warning: There is no field "comand". Did you mean "command"?'],
    [`${head}topicversion: 1.0.0`, '4:1: warning: There is no field "topicversion". Did you mean "topicVersion"?'],
    [`${head}zzz: 1`, '4:1: warning: There is no field "zzz". Known are package, owner'],
    [`${head}proto: other.proto`, '4:8: error: There is no file "other.proto"'],
    [`${head}topics: []`, '4:9: error: "topics" is an empty list'],
    [`${head}topics: [Block]`, '4:10: error: A topic is "Block"; it must be a map'],
    [
      `${head}topics: [{ message: Blok }]`,
      '4:21: error: The .proto files define no message "Blok". Did you mean "Block"?',
    ],
    [`${head}topics: [{ message: Zzzzzzzz }]`, 'They define acme.evm.Block, acme.evm.Part, acme.evm.Log.'],
    [`${head}topics: [{ message: Block }, { message: acme.evm.Block }]`, 'Message acme.evm.Block has a topic already'],
    [
      `${head}topics: [{ message: Block, key: hash }]`,
      '4:33: error: Message Block has no field "hash" for the key. Did you mean "Hash"?',
    ],
    [
      `${head}topics: [{ message: Block, key: Size }]`,
      'Field "Size" of Block cannot be the key: it must be one string, bytes or integer. Fields that can: Hash, Number.',
    ],
    [`${head}topics: [{ message: Block, key: parts }]`, 'Field "parts" of Block cannot be the key'],
    [
      `${head}topics: [{ message: Block, time: Hash }]`,
      'cannot be the time: it must be one google.protobuf.Timestamp, or one int64 of seconds. Fields that can: ts.',
    ],
    [`${head}topics: [{ message: Block, partitions: 2 }]`, '2 partitions need a "key"'],
    [
      `${head}topics: [{ message: Block, partitions: 65, key: Hash }]`,
      '"partitions" is 65 (a number); it must be a whole number from 1 to 64',
    ],
    [`${head}topics: [{ message: Block, bytes: Hex }]`, '"bytes" is "Hex"; it must be hex or base64'],
    [
      `${head}topics: [{ message: Block, retention: 30 days }]`,
      '"retention" is "30 days"; it must be "forever", a time',
    ],
    [
      `${head}topics: [{ message: Block, name: Block }]`,
      '4:34: error: Topic name "Block" is not allowed: its last segment',
    ],
    [`${head}topics: [{ message: Block, name: a.b_C }]`, 'it holds "."'],
    [`${head}topics: [{ message: Block, name: "a b_C" }]`, 'it holds " ", and only letters'],
    [`${head}topics: [{ message: Block, name: a_B }, { message: Log, name: a_B }]`, 'Topic name "a_B" is used twice'],
    [`${head}topics: [{ message: Block, name: "{chain}_B" }]`, '"config" has no setting "chain"'],
    [
      `${head}topics: [{ message: Block, name: "{c}_B" }]\nconfig: { properties: { c: { type: string } } }`,
      'the setting "c" needs "pattern" and "default" in "config"',
    ],
    [`${head}config: 3`, '4:9: error: "config" is 3 (a number); it must be a JSON Schema'],
    [`${head}config: { type: array }`, '"type" of "config" must be "object"'],
    [`${head}config:\n  properties:\n    a: { type: strin }`, '6:16: error: "config.properties.a.type"'],
    [`${head}config:\n  properties:\n    a: { defualt: 1 }`, 'unknown keyword: "defualt"'],
    [
      `${head}config:\n  properties:\n    a: { type: string, default: 1 }`,
      '6:33: error: "config.properties.a.default": the default is not allowed',
    ],
    [`${head}config:\n  properties:\n    a: { type: string, pattern: "[" }`, 'error: "config'],
  ])('finds what is wrong with %j', async (manifest, words) => {
    expect((await problemsOf(manifest)).join('\n')).toContain(words)
  })

  it.each([
    'package: evm\n  owner: acme',
    'a: [',
    'package: evm\npackage: evm',
    '\tx: 1',
    '- a',
    '',
    '"text"',
    '{{}}: 1',
  ])('never throws for what is no manifest: %j', async (text) =>
    expect((await problemsOf(text)).join('\n')).toMatch(/manifest.yaml:\d+:\d+: error: ./),
  )

  it('asks for a .proto file where there is none', async () => {
    expect(await problemsOf(head, {})).toEqual([
      'manifest.yaml:1:1: error: There is no .proto file under proto/ or beside manifest.yaml. Add one that describes the messages.',
    ])
  })

  it('reports mistakes in the manifest and in the .proto files together, in order', async () => {
    const lines = await problemsOf('package: EVM\nowner: acme\nversion: 1.0.0\n', {
      'evm.proto': 'syntax = "proto2";\n',
    })
    expect(lines).toEqual([
      expect.stringContaining('evm.proto:1:1: error: This file is written in "proto2", and only proto3 is supported'),
      expect.stringContaining('manifest.yaml:1:10: error: "package"'),
    ])
  })

  it('gives topics to the messages of its own files, not to imported ones', async () => {
    const folder = await createFolder({
      'manifest.yaml': `${head}proto: proto/evm.proto\n`,
      'proto/evm.proto': 'syntax = "proto3"; import "other.proto"; message A { string x = 1; }',
      'proto/other.proto': 'syntax = "proto3"; message B { string x = 1; }',
    })
    const { project } = await loadProject(folder)
    expect(project?.manifest.topics.map(({ message }) => message)).toEqual(['A'])
  })
})
