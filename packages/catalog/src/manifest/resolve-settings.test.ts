import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../../test/support/folder.ts'
import { loadProject } from './load-project.ts'
import type { Project } from './manifest.ts'
import { resolveSettings, type SettingsSources } from './resolve-settings.ts'
import { resolveTopics } from './resolve-topics.ts'

const manifest = `package: evm
owner: acme
version: 1.0.0
topics:
  - { message: Block, name: "{chain}_Block" }
config:
  type: object
  required: [rpcUrl]
  additionalProperties: false
  properties:
    rpcUrl: { type: [string, array], items: { type: string }, writeOnly: true }
    chain: { type: string, pattern: "^[a-z.]+$", default: ethereum }
    start: { type: [string, integer], default: latest }
    pollSeconds: { type: number, default: 1 }
    receipts: { type: boolean, default: false }
`

const blockProto = 'syntax = "proto3"; message Block { string Hash = 1; }'

async function load(text = manifest, proto = blockProto): Promise<Project> {
  const { project, problems } = await loadProject(await createFolder({ 'manifest.yaml': text, 'evm.proto': proto }))
  expect(problems).toEqual([])
  return project!
}
const resolve = async (from: SettingsSources) =>
  resolveSettings((await load()).manifest, { setsOption: '--set', ...from })
const alternatives = '"a" must be a string that matches ^x or a whole number'
const defaults = { chain: 'ethereum', start: 'latest', pollSeconds: 1, receipts: false }

describe('resolveSettings', () => {
  it('prefers sets to the environment, and both to the file', async () => {
    const folder = await createFolder({ 'settings.yaml': 'rpcUrl: file\nstart: 1\npollSeconds: 2\nchain: file\n' })
    const { values } = await resolve({
      file: join(folder, 'settings.yaml'),
      environment: { CONNECTOR_RPC_URL: 'environment', CONNECTOR_START: '2', RPC_URL: 'other', CONNECTOR_OTHER: 'x' },
      sets: ['start=3'],
    })
    expect(values).toEqual({ ...defaults, chain: 'file', pollSeconds: 2, rpcUrl: 'environment', start: 3 })
  })

  it('parses text as the setting allows', async () => {
    const { values } = await resolve({ sets: ['rpcUrl=["a","b"]', 'start=0x1', 'pollSeconds=0.5', 'receipts=true'] })
    expect(values).toEqual({ ...defaults, rpcUrl: ['a', 'b'], start: '0x1', pollSeconds: 0.5, receipts: true })
    const { values: plain } = await resolve({ sets: ['rpcUrl=http://x?a=b', 'start=12', 'chain=true'] })
    expect(plain).toEqual({ ...defaults, rpcUrl: 'http://x?a=b', start: 12, chain: 'true' })
  })

  it('hides secrets', async () => {
    const settings = await resolve({ sets: ['rpcUrl=http://secret'] })
    expect(settings.secrets).toEqual(['rpcUrl'])
    expect(settings.redacted()).toEqual({ ...defaults, rpcUrl: '***' })
  })

  it('lists every mistake in one error, with the value and its place', async () => {
    const folder = await createFolder({ 'settings.yaml': '# mine\npageSize: 5\nstart: [1]\n' })
    const file = join(folder, 'settings.yaml')
    const error = await resolve({
      file,
      environment: { CONNECTOR_CHAIN: 'Base', CONNECTOR_RECEIPTS: 'yes' },
      variablePlaces: { CONNECTOR_RECEIPTS: '.env:3' },
      sets: ['chian=x', 'pollSeconds=often', 'nothing'],
    }).catch((one) => one)
    expect(error.code).toBe('invalid_settings')
    expect(error.message.split('\n')).toEqual([
      'The settings are invalid:',
      '  - A value of --set must be name=value, such as start=0. It has no "=", or no name before it',
      `  - "pageSize" is not a setting of this connector (${file}:2). It has rpcUrl, chain, start, pollSeconds, receipts.`,
      '  - "chian" is not a setting of this connector (--set chian=…). Did you mean "chain"?',
      '  - "rpcUrl" is missing: give it with --set rpcUrl=… or set the variable CONNECTOR_RPC_URL',
      '  - "chain" must match the pattern ^[a-z.]+$: found "Base" in the environment variable CONNECTOR_CHAIN',
      `  - "start" must be a string or a whole number: found [1] in ${file}:3`,
      '  - "pollSeconds" must be a number: found "often" in --set pollSeconds=…',
      '  - "receipts" must be true or false: found "yes" in .env:3 (CONNECTOR_RECEIPTS)',
    ])
  })

  it('names the default of the manifest if it conflicts with other settings', async () => {
    const schema = `package: evm
owner: acme
version: 1.0.0
config:
  properties: { all: { type: boolean }, limit: { type: integer, default: 100 } }
  dependentSchemas: { all: { properties: { limit: { minimum: 1000 } } } }
`
    const { manifest: read } = await load(schema)
    await expect(resolveSettings(read, { sets: ['all=true'] })).rejects.toThrow(
      '"limit" must be 1000 or more: found 100 in the manifest\'s default',
    )
  })

  it('shows neither invalid secrets, even if marked in a definition, nor the part of a URL after its host', async () => {
    const schema = `package: evm
owner: acme
version: 1.0.0
config:
  properties:
    token: { type: integer, writeOnly: true }
    login: { $ref: "#/$defs/login" }
    url: { pattern: "^https:" }
    mirror: { pattern: "^https:" }
  $defs:
    login: { type: object, properties: { password: { type: integer, writeOnly: true } } }
`
    const { manifest: read } = await load(schema)
    const from = {
      environment: { CONNECTOR_TOKEN: 's3cret', CONNECTOR_LOGIN: '{"password":"s3cret"}' },
      variablePlaces: { CONNECTOR_TOKEN: '.env:1' },
      sets: ['url=http://me:s3/cret@host/s3cret', 'mirror=http://host/s3cret'],
    }
    const error = await resolveSettings(read, from).catch((one) => one)
    expect(error.message.split('\n').slice(1)).toEqual([
      '  - "token" must be a whole number: the value in .env:1 (CONNECTOR_TOKEN) is not shown, since it may be a secret',
      '  - "login" must be a map: the value in the environment variable CONNECTOR_LOGIN is not shown, since it may be a secret',
      '  - "url" must match the pattern ^https:: found "http://…" in sets url=…',
      '  - "mirror" must match the pattern ^https:: found "http://host/…" in sets mirror=…',
    ])
    const settings = await resolveSettings(read, { sets: ['login={"password":5}'] })
    expect(settings.redacted()).toEqual({ login: '***' })
  })

  it('reports the constraint that a value of the right type violates', async () => {
    const schema = manifest.replace('pollSeconds: { type: number', 'pollSeconds: { type: number, maximum: 5')
    const { manifest: bounded } = await load(schema)
    const sets = ['rpcUrl=x', 'pollSeconds=9']
    await expect(resolveSettings(bounded, { sets })).rejects.toThrow('"pollSeconds" must be 5 or less')
  })

  it('reports every unknown name', async () => {
    await expect(resolve({ sets: ['rpcUrl=x', '__proto__=1'] })).rejects.toThrow('"__proto__" is not a setting')
  })

  it('lists the alternatives of a setting once, and names the variable of a camel-case setting', async () => {
    const { values } = await resolve({ environment: { CONNECTOR_RPC_URL: '["a", "b"]', CONNECTOR_POLL_SECONDS: '3' } })
    expect(values).toMatchObject({ rpcUrl: ['a', 'b'], pollSeconds: 3 })
    await expect(resolve({ sets: ['rpcUrl=[1]', 'start=0.5', 'receipts=1'] })).rejects.toThrow(
      '"receipts" must be true or false',
    )
  })

  it.each([
    ['anyOf: [{ required: [a] }, { required: [b] }]', '{}', 'The settings must be a map with "a" or a map with "b"'],
    ['properties: { a: { anyOf: [{ type: string, pattern: ^x }, { type: integer }] } }', '{ a: y }', alternatives],
    [
      'properties: { a: { anyOf: [{ type: "null" }, { $ref: "#/$defs/port" }] } }\n  $defs: { port: { type: integer } }',
      '{ a: y }',
      '"a" must be null or the definition "port"',
    ],
    ['properties: { a: { not: { const: y } } }', '{ a: y }', '"a" must not be "y"'],
    ['properties: { a: { contains: { type: integer } } }', '{ a: [y] }', '"a" must hold a whole number'],
    [
      'properties: { a: {}, b: {} }\n  dependentRequired: { a: [b] }',
      '{ a: y }',
      'The settings must have "b" if it has "a"',
    ],
    [
      'properties: { a: { propertyNames: { pattern: ^x } } }',
      '{ a: { y: 1 } }',
      '"a.y" has a name that is not allowed: it must match the pattern ^x',
    ],
    [
      'properties: { a: {} }\n  if: { required: [a] }\n  then: { properties: { a: { type: integer } } }',
      '{ a: y }',
      '"a" must be a whole number',
    ],
  ])('explains what %s requires', async (schema, settings, message) => {
    const { manifest: read } = await load(`package: evm\nowner: acme\nversion: 1.0.0\nconfig:\n  ${schema}\n`)
    const file = join(await createFolder({ 'settings.yaml': settings }), 'settings.yaml')
    const error = await resolveSettings(read, { file }).catch((one) => one)
    const found = message.startsWith('"a" ') ? `: found ${settings.includes('[') ? '["y"]' : '"y"'} in ${file}:1` : ''
    const where = message.startsWith('"a.y"') ? `, in ${file}:1` : found
    expect(error.message).toBe(`The settings are invalid:\n  - ${message}${where}`)
  })

  it('does not quote a file that is not YAML, because it may contain secrets', async () => {
    const broken = [
      'rpcUrl: "s3cret',
      'rpcUrl: s3cret: s3cret',
      'rpcUrl: *s3cret',
      'rpcUrl: { [s3cret]: 1 }',
      's3cret',
      '- rpcUrl: s3cret',
      '"s3cret" "s3cret": 1',
      '{s3cret',
      's3cret: 1\ns3cret: 2',
    ]
    for (const text of broken) {
      const file = join(await createFolder({ 'settings.yaml': text }), 'settings.yaml')
      const error = await resolve({ file }).catch((one: unknown) => one)
      expect(error, text).toMatchObject({ code: 'invalid_settings', message: expect.stringContaining(file) })
      expect(inspect(error, { depth: 9 }), text).not.toContain('s3cret')
    }
  })

  it('hides a setting that contains a secret', async () => {
    const nested = manifest.replace(
      'receipts: { type: boolean, default: false }',
      'login: { type: object, properties: { password: { type: string, writeOnly: true } } }',
    )
    const { manifest: read } = await load(nested)
    const settings = await resolveSettings(read, { sets: ['rpcUrl=x', 'login={"password":"s3cret"}'] })
    expect(JSON.stringify(settings.redacted())).not.toContain('s3cret')
  })

  it('reports a file that cannot be read', async () => {
    const folder = await createFolder({ 'a.yaml': '[1]', 'b.yaml': 'a: [' })
    for (const name of ['a.yaml', 'b.yaml', 'missing.yaml'])
      await expect(resolve({ file: join(folder, name) })).rejects.toMatchObject({
        code: 'invalid_settings',
        message: expect.stringContaining(name),
      })
    await expect(resolve({ file: folder })).rejects.toThrow(`The file "${folder}" cannot be read: it is a folder`)
  })
})

describe('resolveTopics', () => {
  it('derives the names of topics, instance and writer from the settings', async () => {
    const project = await load()
    const settings = await resolveSettings(project.manifest, { sets: ['rpcUrl=x', 'chain=base'] })
    expect(resolveTopics(project, settings)).toMatchObject({
      instance: 'base',
      writerId: 'acme.evm.1_0_0/base',
      topics: [{ name: 'acme.evm.1_0_0.base_Block', message: 'Block' }],
    })
    expect(resolveTopics(project, settings, 'second').writerId).toBe('acme.evm.1_0_0/second')
  })

  it('omits the topics that a setting disables', async () => {
    const optional = `topics:
  - { message: Block, name: "{chain}_Block" }
  - { message: Receipt, name: "{chain}_Receipt", when: receipts }
`
    const proto = 'syntax = "proto3"; message Block { string Hash = 1; } message Receipt { string Hash = 1; }'
    const text = manifest.replace(/topics:\n.*\n/, optional)
    const project = await load(text, proto)
    const namesWith = async (...sets: string[]) => {
      const settings = await resolveSettings(project.manifest, { sets: ['rpcUrl=x', ...sets] })
      return resolveTopics(project, settings).topics.map(({ name }) => name)
    }
    const block = 'acme.evm.1_0_0.ethereum_Block'
    expect(await namesWith()).toEqual([block])
    expect(await namesWith('receipts=false')).toEqual([block])
    expect(await namesWith('receipts=true')).toEqual([block, 'acme.evm.1_0_0.ethereum_Receipt'])
  })

  it('names an instance without settings in topic names main', async () => {
    const project = await load('package: evm\nowner: acme\nversion: 1.0.0\n')
    const settings = await resolveSettings(project.manifest, {})
    expect(resolveTopics(project, settings).writerId).toBe('acme.evm.1_0_0/main')
  })

  it('refuses topic names that are invalid because of settings', async () => {
    const project = await load()
    const settings = await resolveSettings(project.manifest, { sets: ['rpcUrl=x', 'chain=..'] })
    expect(() => resolveTopics(project, settings)).toThrow(expect.objectContaining({ code: 'invalid_settings' }))
    const fine = await resolveSettings(project.manifest, { sets: ['rpcUrl=x'] })
    expect(() => resolveTopics(project, fine, 'a/b')).toThrow(expect.objectContaining({ code: 'invalid_settings' }))
  })
})
