import { describe, expect, it } from 'vitest'
import { createFolder } from '../../test/support/folder.ts'
import { loadProject } from '../manifest/load-project.ts'
import type { Project } from '../manifest/manifest.ts'
import { type Comparison, compareProjects, comparePublished } from './compare-projects.ts'

const head = 'package: evm\nowner: acme\nversion: 1.0.0\n'
const chain = '    { type: string, pattern: "^[a-z]+$", default: eth }\n'
const proto = 'syntax = "proto3";\nmessage A { P p = 1; }\nmessage B { P p = 1; }\nmessage P { int32 x = 1; }\n'

async function load(lines: string, protos: string = proto): Promise<Project> {
  const { project, problems } = await loadProject(
    await createFolder({ 'manifest.yaml': head + lines, 'a.proto': protos }),
  )
  expect(problems).toEqual([])
  return project!
}

/** Problems without the path of the folder. */
const formatted = ({ problems }: Comparison) =>
  problems.map(({ file, line, column, message }) => `${file.split('/').at(-1)}:${line}:${column} ${message}`)

describe('compareProjects', () => {
  it.each([
    ['with the same name', 'topics: [{ message: A, name: eth_A }]\n', 'topics: [{ message: A, name: eth_A }]\n'],
    [
      'by a name that now contains a setting',
      'topics: [{ message: A, name: eth_A }]\n',
      `topics: [{ message: A, name: "{chain}_A" }]\nconfig:\n  properties:\n    chain:\n  ${chain}`,
    ],
    [
      'by a setting of another name',
      `topics: [{ message: A, name: "{chain}_A" }]\nconfig:\n  properties:\n    chain:\n  ${chain}`,
      `topics: [{ message: A, name: "{network}_A" }]\nconfig:\n  properties:\n    network:\n  ${chain}`,
    ],
  ])('matches a topic %s', async (_, before, after) =>
    expect(compareProjects(await load(before), await load(after))).toEqual({
      topics: ['acme.evm.1_0_0.eth_A'],
      problems: [],
    }),
  )

  it('matches a topic by a name with a changed default, and warns that it is no longer published by default', async () => {
    const config = `\nconfig:\n  properties:\n    chain:\n  ${chain}`
    const before = await load(`topics: [{ message: A, name: "{chain}_A" }]${config}`)
    const after = await load(`topics: [{ message: A, name: "{chain}_A" }]${config.replace('eth', 'base')}`)
    const comparison = compareProjects(before, after)
    expect(comparison).toMatchObject({ topics: ['acme.evm.1_0_0.eth_A'], problems: [{ severity: 'warning' }] })
    expect(formatted(comparison)).toEqual([
      expect.stringContaining('manifest.yaml:4:30 Topic name "eth_A" was published by default, and "base_A" is now.'),
    ])
  })

  it('warns of a published name that the settings no longer allow', async () => {
    const config = `\nconfig:\n  properties:\n    chain:\n  ${chain}`
    const after = await load(`topics: [{ message: A, name: "{chain}_A" }]${config}`)
    const form = { message: 'A', bytes: 'base64', partitions: 1, descriptors: after.schema.descriptors } as const
    const topics = ['acme.evm.1_0_0.base_A', 'acme.evm.1_0_0.Base-2_A']
    expect(
      comparePublished(
        topics.map((topic) => ({ ...form, topic })),
        after,
      ),
    ).toMatchObject({
      topics,
      problems: [
        {
          ...{ severity: 'warning', code: 'topic_not_published', line: 4, column: 30 },
          message: expect.stringMatching(
            /^Topic name "Base-2_A" was published, but "\{chain\}_A" can no longer become this name/,
          ),
        },
      ],
    })
  })

  it('reports a removed topic at the place of the topics', async () => {
    const before = await load('')
    const after = await load('x-note: 1\ntopics:\n  - message: A\n')
    expect(formatted(compareProjects(before, after))).toEqual([
      expect.stringContaining('manifest.yaml:6:3 Topic "acme.evm.1_0_0.evm_B" with the message B was removed.'),
    ])
  })

  it('reports a change that two topics share once', async () => {
    const after = await load('', proto.replace('int32', 'bool'))
    const comparison = compareProjects(await load(''), after)
    expect(comparison.topics).toEqual(['acme.evm.1_0_0.evm_A', 'acme.evm.1_0_0.evm_B'])
    expect(formatted(comparison)).toEqual([
      expect.stringContaining('a.proto:4:18 Field "x" of P was int32 and is bool.'),
    ])
  })

  it('reports a setting at its place, or at the topic if it was removed', async () => {
    const keyed = `${proto}message K { string a = 1; string b = 2; }\n`
    const before = await load('topics:\n  - message: K\n    key: a\n', keyed)
    const other = await load('topics:\n  - message: K\n    key: b\n', keyed)
    const none = await load('topics:\n  - message: K\n', keyed)
    expect(formatted(compareProjects(before, other))).toEqual([
      expect.stringContaining('manifest.yaml:6:10 The "key" of topic'),
    ])
    expect(formatted(compareProjects(before, none))).toEqual([
      expect.stringContaining('manifest.yaml:5:5 The "key" of topic'),
    ])
  })

  it('reports another message with the same topic name at the message', async () => {
    const before = await load('topics: [{ message: A, name: x_Y }]\n')
    const after = await load('topics: [{ message: B, name: x_Y }]\n')
    expect(formatted(compareProjects(before, after))).toEqual([
      expect.stringContaining('manifest.yaml:4:21 Topic "acme.evm.1_0_0.x_Y" had the message A and would have B.'),
    ])
  })

  it('compares nothing across lineages', async () => {
    const after = await load('topicVersion: 2.0.0\n', proto.replace('int32', 'bool'))
    expect(compareProjects(await load(''), after)).toEqual({ topics: [], problems: [] })
  })
})
