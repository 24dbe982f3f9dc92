import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../../test/support/folder.ts'
import { compileProtos } from '../schema/compile-protos.ts'
import { compareTopics, type TopicForm } from './compare-topics.ts'

/** Returns a function that creates the form of a topic with the message M. */
async function formsOf(body: string): Promise<(over?: Partial<TopicForm>) => TopicForm> {
  const root = await createFolder({ 'a.proto': `syntax = "proto3";\npackage acme;\n${body}` })
  const { descriptors } = (await compileProtos([join(root, 'a.proto')], { root })).schema!
  const form = { topic: 'acme.evm.1_0_0.a_M', message: 'acme.M', bytes: 'base64', partitions: 1, descriptors } as const
  return (over) => ({ ...form, ...over })
}

describe('settings of a topic', () => {
  const body = 'message M { string a = 1; bytes b = 2; int64 t = 3; }'
  it.each([
    [
      'key_changed',
      { key: 'a' },
      { key: 'b' },
      'The "key" of topic "acme.evm.1_0_0.a_M" was "a" and is "b". Readers that look up records by key',
    ],
    ['key_changed', { key: 'a' }, {}, 'was "a" and is none'],
    ['time_changed', { time: 't' }, {}, 'Readers of a time range'],
    ['bytes_changed', { bytes: 'hex' as const }, {}, 'in an unexpected form'],
    ['partitions_changed', { key: 'a' }, { key: 'a', partitions: 2 }, 'was 1 and is 2'],
    ['message_changed', { message: 'acme.N' }, {}, 'had the message acme.N and would have acme.M'],
  ])('break the rule %s if they change from %o to %o', async (rule, before, after, part) => {
    const form = await formsOf(body)
    const found = compareTopics(form(before), form(after))
    expect(found).toEqual([{ rule, message: expect.stringContaining(part), at: { setting: rule.split('_')[0] } }])
    expect(found[0]!.message).toContain('Or set "topicVersion" to a new version')
  })

  it('may be added', async () => {
    const form = await formsOf(body)
    expect(compareTopics(form(), form({ key: 'a', time: 't' }))).toEqual([])
  })

  it('may have another form of bytes if there were none before', async () => {
    const before = await formsOf('message M { int32 b = 1; }')
    const after = await formsOf('message M { int32 b = 1; bytes c = 2; }')
    expect(compareTopics(before(), after({ bytes: 'hex' }))).toEqual([])
  })

  it('may have another form of bytes if there are none', async () => {
    const form = await formsOf('message M { M m = 1; } message Other { bytes b = 1; }')
    expect(compareTopics(form(), form({ bytes: 'hex' }))).toEqual([])
  })
})
