import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../../test/support/folder.ts'
import { formatProblem } from '../problem.ts'
import { checkTopicName } from '../topic-name/topic-name.ts'
import { loadProject } from './load-project.ts'
import type { Settings } from './resolve-settings.ts'
import { resolveTopics } from './resolve-topics.ts'

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

/** The problems of a manifest next to the .proto file above, without the path of the folder. */
async function problemsOf(manifest: string, files: Record<string, string> = { 'proto/evm.proto': proto }) {
  const folder = await createFolder({ 'manifest.yaml': manifest, ...files })
  const { project, problems } = await loadProject(folder)
  const lines = problems.map((problem) => formatProblem({ ...problem, file: problem.file.slice(folder.length + 1) }))
  expect(project === undefined).toBe(problems.some(({ severity }) => severity === 'error'))
  return lines
}

describe('loadProject', () => {
  it('fills in all defaults if only the three required fields are there', async () => {
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

  it('returns the fields of the manifest', async () => {
    const manifest = `${head}topicVersion: 0.9.0
title: Blocks
run: { command: [python3, connector.py] }
proto: evm.proto
x-note: mine
topics:
  - { message: Block, name: "{chain}_Block", key: Hash, bytes: hex, partitions: 4, retention: 30d }
  - { message: acme.evm.Log, name: logs_Log, time: when, compression: lz4 }
config:
  properties:
    chain: { type: string, pattern: "^[a-z]+$", default: ethereum, x-note: mine }
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
          { message: 'acme.evm.Log', name: 'logs_Log', time: 'when', compression: 'lz4' },
        ],
      },
    })
  })

  it.each([
    ['evm', 'acme'],
    ['Clock', 'Me'],
    ['1inch-Swaps_2', '0x'],
    ['x_-', 'A'],
    ['404', '7'],
  ])('accepts the package %s of the owner %s, and uses them unchanged in topic names', async (name, owner) => {
    const folder = await createFolder({
      'manifest.yaml': `package: "${name}"\nowner: "${owner}"\nversion: 1.2.3\n`,
      'proto/evm.proto': proto,
    })
    const { project, problems } = await loadProject(folder)
    expect(problems).toEqual([])
    const { topics } = resolveTopics(project!, { values: {} } as Settings)
    const topic = `${owner}.${name}.1_2_3.${name}_Block`
    expect(topics[0]?.name).toBe(topic)
    expect(checkTopicName(topic)).toBeUndefined()
  })

  it('reports a missing field at the place of its map', async () => {
    expect(await problemsOf('# nothing yet\nowner: acme\n')).toEqual([
      'manifest.yaml:2:1: error: The field "package" is missing. Add, for example,  package: evm',
      'manifest.yaml:2:1: error: The field "version" is missing. Add, for example,  version: 1.0.0',
    ])
    expect(await problemsOf(`${head}topics:\n  - name: a_B\n`)).toEqual([
      'manifest.yaml:5:5: error: The field "message" of this topic is missing. Add the name of the message that it carries: acme.evm.Block, acme.evm.Part, acme.evm.Log.',
    ])
  })

  it('reports a folder without a manifest', async () => {
    const { project, problems } = await loadProject(await createFolder({}))
    expect(project).toBeUndefined()
    expect(problems).toMatchObject([{ code: 'manifest_not_found', line: 1, column: 1 }])
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
  ])('does not throw for %j, which is not a manifest', async (text) =>
    expect((await problemsOf(text)).join('\n')).toMatch(/manifest.yaml:\d+:\d+: error: ./),
  )

  it('explains the mistake in a manifest that is damaged anywhere', async () => {
    const whole = `${head}topicVersion: 0.9.0
run: { command: [python3, connector.py] }
topics:
  - { message: Block, name: "{chain}_Block", key: Hash, bytes: hex, partitions: 4, retention: 30d }
config:
  type: object
  required: [chain]
  properties:
    chain: { type: string, pattern: "^[a-z]+$", default: ethereum }
    start: { anyOf: [{ type: integer, minimum: 0 }, { enum: [latest] }], default: latest }
    list: { type: array, items: { $ref: "#/$defs/item" }, default: [1] }
  $defs: { item: { type: integer } }
`
    const folder = await createFolder({ 'proto/evm.proto': proto })
    const pieces = [
      '',
      '',
      '[',
      ']',
      '{',
      '}',
      ': ',
      '"',
      "'",
      '*x',
      '&a ',
      '!t ',
      '- ',
      '\n',
      '  ',
      '|',
      '%',
      '\t',
      'null',
      '3',
      'true',
      'x',
      '#',
      ',',
      '\u0000',
      '\ufeff',
    ]
    const damage = fc.tuple(fc.nat(whole.length), fc.nat(9), fc.constantFrom(...pieces))
    const property = fc.asyncProperty(damage, async ([at, length, piece]) => {
      await writeFile(join(folder, 'manifest.yaml'), whole.slice(0, at) + piece + whole.slice(at + length))
      for (const { line, column, message } of (await loadProject(folder)).problems) {
        expect(Math.min(line, column)).toBeGreaterThan(0)
        expect(message).not.toMatch(/undefined|NaN|\[object|a schema in|must NOT|must be (object|string|array)|\.\.$/)
        expect(message).toMatch(/^["A-Z\d]/)
      }
    })
    await fc.assert(property, { numRuns: 150 })
  })

  it('reports a project without a .proto file', async () => {
    expect(await problemsOf(head, {})).toEqual([
      'manifest.yaml:1:1: error: There is no .proto file under proto/ or next to manifest.yaml. Add one that defines the messages.',
    ])
  })

  it('reports mistakes in the manifest and in the .proto files together, in order', async () => {
    const lines = await problemsOf('package: e.v.m\nowner: acme\nversion: 1.0.0\n', {
      'evm.proto': 'syntax = "proto2";\n',
    })
    expect(lines).toEqual([
      expect.stringContaining('evm.proto:1:1: error: This file is written in "proto2", but only proto3 is supported'),
      expect.stringContaining('manifest.yaml:1:10: error: "package"'),
    ])
  })

  it('creates topics for messages of its own files, not of imported ones', async () => {
    const folder = await createFolder({
      'manifest.yaml': `${head}proto: proto/evm.proto\n`,
      'proto/evm.proto': 'syntax = "proto3"; import "other.proto"; message A { string x = 1; }',
      'proto/other.proto': 'syntax = "proto3"; message B { string x = 1; }',
    })
    const { project } = await loadProject(folder)
    expect(project?.manifest.topics.map(({ message }) => message)).toEqual(['A'])
  })
})
