import { join } from 'node:path'
import { compileProtos, loadProject, problemCodes, resolveSettings, type SettingsSources } from '@headrace/catalog'
import { describe, expect, it } from 'vitest'
import { readReferencePage } from '../../testbed/reference/reference-page.ts'
import { incompatibilityRules } from '../src/compatibility/incompatibility.ts'
import { manifestFields } from '../src/manifest/read-head.ts'
import { topicFields } from '../src/manifest/read-topics.ts'
import { createFolder } from './support/folder.ts'

const page = readReferencePage('manifest.md')
const proto = `syntax = "proto3";
import "google/protobuf/timestamp.proto";
message Block { google.protobuf.Timestamp ts = 1; string Hash = 2; }
`

async function load(manifest: string) {
  return loadProject(await createFolder({ 'manifest.yaml': manifest, 'proto/evm.proto': proto }))
}

/** Field → default, as a table of the page gives them. */
const defaults = (heading: string) => new Map(page.rows(heading, 'field').map(([name, , value]) => [name!, value!]))

describe('docs/reference/manifest.md', () => {
  it('lists every field, and no other', () => {
    expect([...defaults('manifest.yaml').keys()].sort()).toEqual(manifestFields.toSorted())
    expect([...defaults('Topics').keys()].sort()).toEqual(topicFields.toSorted())
  })

  it('names the fields that are required', async () => {
    const required = [...defaults('manifest.yaml')].filter(([, value]) => value === 'required').map(([name]) => name)
    const { problems } = await load('{}')
    expect(problems.map(({ message }) => /"(.*?)"/.exec(message)![1])).toEqual(required)
  })

  it('gives the defaults of a topic', async () => {
    const [minimal] = page.code('manifest.yaml', 'yaml')
    const { project } = await load(minimal!)
    const topic: Record<string, unknown> = { ...project!.manifest.topics[0]! }
    const listed = defaults('Topics')
    for (const field of ['bytes', 'partitions', 'retention']) expect(listed.get(field)).toBe(String(topic[field]))
    expect(topic.name).toBe(listed.get('name')!.replace('<package>', 'evm').replace('<Message>', 'Block'))
    expect(listed.get('time')).toMatch(new RegExp(`^${topic.time},`))
    expect(topic.key).toBeUndefined()
  })

  it('shows manifests that are valid, one with every field', async () => {
    const examples = page.code('manifest.yaml', 'yaml')
    for (const example of examples) expect((await load(example)).problems).toEqual([])
    for (const field of [...manifestFields, ...topicFields]) expect(examples[1]).toMatch(new RegExp(`\\b${field}:`))
  })

  it('gives the allowed values', async () => {
    const allowed = new Map(page.rows('Topics', 'field').map(([name, value]) => [name!, value!]))
    const problems = async (field: string, value: string) =>
      (
        await load(
          `${page.code('manifest.yaml', 'yaml')[0]}topics: [{ message: Block, key: Hash, ${field}: ${value} }]`,
        )
      ).problems
    const [, units] = /30d; (.*?)\)/.exec(allowed.get('retention')!)!
    const [, sizes] = /10GiB; (.*?)\)/.exec(allowed.get('retention')!)!
    for (const unit of `${units}, ${sizes}`.split(', ')) expect(await problems('retention', `1${unit}`)).toEqual([])
    for (const unit of ['w', 'y', 'KB', 'PiB', '']) expect(await problems('retention', `1${unit}`)).toHaveLength(1)
    const [, least, most] = /^(\d+) to (\d+);/.exec(allowed.get('partitions')!)!
    for (const count of [least!, most!]) expect(await problems('partitions', count)).toEqual([])
    for (const count of [Number(least) - 1, Number(most) + 1])
      expect(await problems('partitions', `${count}`)).toHaveLength(1)
    for (const form of ['hex', 'base64']) {
      expect(allowed.get('bytes')).toContain(form)
      expect(await problems('bytes', form)).toEqual([])
    }
  })

  it('lists the sources of settings in the order of precedence', async () => {
    const { project } = await load(page.code('manifest.yaml', 'yaml')[1]!)
    const [, , variable, set] = page.rows('Settings', 'from').map(([, example]) => example!)
    const chain = async (from: SettingsSources) => {
      const { values } = await resolveSettings(project!.manifest, { ...from, sets: ['rpc=x', ...(from.sets ?? [])] })
      return values.chain
    }
    const file = join(await createFolder({ 'settings.yaml': 'chain: file' }), 'settings.yaml')
    const environment = { [variable!.split('=')[0]!]: 'variable' }
    const sets = [`${set!.split(/[ =]/)[1]}=set`]
    expect(await chain({})).toBe('ethereum')
    expect(await chain({ file })).toBe('file')
    expect(await chain({ file, environment })).toBe('variable')
    expect(await chain({ file, environment, sets })).toBe('set')
  })

  it('lists every rule of what may not change, and every code of a problem', () => {
    expect(page.rows('What may change', 'rule').map(([rule]) => rule)).toEqual([...incompatibilityRules])
    expect(page.rows('Checking', 'code').map(([code]) => code)).toEqual([...problemCodes])
  })

  it('shows valid .proto files', async () => {
    for (const text of page.code('What may change', 'proto')) {
      const root = await createFolder({ 'a.proto': text })
      expect((await compileProtos([join(root, 'a.proto')], { root })).problems).toEqual([])
    }
  })
})
