import { readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { createSystemTopics, systemTopics } from '@headrace/catalog'
import { openQueue } from '@headrace/queue'
import { extract } from 'tar-stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CommandResult, runInProcess } from './command-in-process.ts'

/** Each has a place of its own. */
const secrets = {
  variable: 'sec-variable-1f0c',
  dotEnv: 'sec-dotenv-2f0c',
  webhook: 'sec-webhook-3f0c',
  apiKey: 'hr_test_sec4f0csec4f0csec4f0c',
  urlUser: 'sec-url-user-5f0c',
  urlPassword: 'sec-url-password-6f0c',
  urlPath: 'sec-url-path-7f0c',
  urlQuery: 'sec-url-query-8f0c',
  set: 'sec-set-9f0c',
  configFile: 'sec-config-file-af0c',
  manifestDefault: 'sec-manifest-default-bf0c',
  manifestDescription: 'sec-manifest-description-cf0c',
  checkpoint: 'sec-checkpoint-df0c',
  recordKey: 'sec-record-key-ef0c',
  recordValue: 'sec-record-value-ff0c',
  deadLetter: 'sec-dead-letter-0a0c',
  kafkaPassword: 'sec-kafka-password-1a0c',
  kafkaUser: 'sec-kafka-user-2a0c',
  keystore: 'sec-keystore-3a0c',
}

const source = `import { defineConnector } from '@headrace/sdk'

const encode = (message, writer) => writer.uint32(10).string(message.Name).uint32(16).uint64(BigInt(message.Number))
const schema = { messages: { Page: { name: 'acme.book.Page', encode } }, config: undefined }

export default defineConnector({
  schema,
  async *read() {
    const Name = '${secrets.recordKey}'
    yield { checkpoint: { next: 'https://x/?t=${secrets.checkpoint}', page: 1 }, messages: { Page: [{ Name, Number: 1 }] } }
    yield { checkpoint: { next: '${secrets.checkpoint}', page: 2 }, messages: { Page: [{ Name, Number: '${secrets.deadLetter}' }] } }
  },
})
`
const manifest = `package: book
owner: acme
version: 1.0.0
description: ${secrets.manifestDescription}
run: connector.js
topics: [{ message: Page, key: Name }]
config:
  type: object
  properties:
    token: { type: string, writeOnly: true }
    rpc: { type: string }
    plain: { type: string, default: ${secrets.manifestDefault} }
    other: { type: string }
`

let dir: string
let at: string[]
let file: string
let result: CommandResult
let files: Map<string, string>
const variables = () => ({
  ...process.env,
  CONNECTOR_TOKEN: secrets.variable,
  CONNECTOR_RPC: `http://${secrets.urlUser}:${secrets.urlPassword}@127.0.0.1:3/v2/${secrets.urlPath}?key=${secrets.urlQuery}`,
  HEADRACE_API_KEY: secrets.apiKey,
})
const doctor = (...args: string[]) => runInProcess(['doctor', dir, '--port', '0', ...args], { variables: variables() })

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'headrace-support-'))
  at = ['--queue', `embedded:${join(dir, 'queue')}`]
  file = join(dir, 'bundle.tar.gz')
  await writeFile(join(dir, 'connector.js'), source)
  await writeFile(
    join(dir, 'book.proto'),
    'syntax = "proto3";\npackage acme.book;\nmessage Page {\n  string Name = 1;\n  uint64 Number = 2;\n}\n',
  )
  await writeFile(join(dir, 'manifest.yaml'), manifest)
  await writeFile(join(dir, '.env'), `CONNECTOR_OTHER=${secrets.dotEnv}\nHEADRACE_WEBHOOK_SECRET=${secrets.webhook}\n`)
  await writeFile(join(dir, 'settings.yaml'), `plain: ${secrets.configFile}\n`)
  expect(await runInProcess(['run', dir, ...at], { variables: variables() })).toMatchObject({ code: 0 })
  const queue = await openQueue(at[1]!)
  await createSystemTopics(queue)
  const other = { topic: 'acme.book.1_0_0.other_Page', key: null, time: 1 }
  await queue.createTopics([{ name: other.topic }])
  await queue.append([{ ...other, value: Buffer.from(secrets.recordValue) }])
  await queue.close()
  const settings = ['--config', join(dir, 'settings.yaml'), '--set', `other=${secrets.set}`]
  result = await doctor(...at, ...settings, '--support-bundle', file)
  files = await unpack(file)
})
afterAll(() => rm(dir, { recursive: true }))

async function unpack(archive: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const unpacking = extract()
  unpacking.end(gunzipSync(readFileSync(archive)))
  for await (const entry of unpacking) {
    const chunks: Buffer[] = []
    for await (const chunk of entry) chunks.push(chunk as Buffer)
    found.set(entry.header.name.replace('headrace-support/', ''), Buffer.concat(chunks).toString())
  }
  return found
}

test('the secrets are where they could be found, and none of them is in the bundle', async () => {
  const queue = readFileSync(join(dir, 'queue', 'queue.db'), 'latin1') + tryRead(join(dir, 'queue', 'queue.db-wal'))
  for (const name of ['checkpoint', 'recordKey', 'recordValue', 'deadLetter'] as const)
    expect(queue).toContain(secrets[name])
  const all = [...files].flat().join('\n')
  for (const secret of Object.values(secrets)) {
    expect(all).not.toContain(secret)
    expect(all).not.toContain(Buffer.from(secret).toString('base64').slice(0, 16))
  }
})

function tryRead(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

test('only its owner can read it, it is not overwritten, and the command prints what is in it', async () => {
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const before = readFileSync(file)
  expect(await doctor(...at, '--support-bundle', file)).toMatchObject({
    ...{ code: 1, stdout: '' },
    stderr: expect.stringContaining('file_exists'),
  })
  expect(readFileSync(file)).toEqual(before)
  expect(result.stdout).toContain(`${file} has ${[...files.keys()].join(', ')}.\n`)
  expect(result.stdout).toContain('look at each file before you send it')
})

test('it has the facts that a report needs', () => {
  const json = (name: string) => JSON.parse(files.get(name)!)
  // Nothing answers at the address of the source.
  expect(json('doctor.json')).toMatchObject([{ about: 'source', code: 'source_unavailable' }])
  expect(json('machine.json')).toMatchObject({
    headrace: expect.any(String),
    versions: { node: process.versions.node },
  })
  expect(json('environment.json').set).toEqual(
    expect.arrayContaining(['CONNECTOR_OTHER', 'CONNECTOR_RPC', 'CONNECTOR_TOKEN', 'HEADRACE_API_KEY']),
  )
  expect(json('project.json')).toMatchObject({
    ...{ owner: 'acme', package: 'book', run: 'module' },
    settings: expect.arrayContaining([{ name: 'token', type: 'string', writeOnly: true }]),
  })
  expect(json('status.json')).toMatchObject({
    connectors: [
      { unit: '2', deadLetters: 1, position: { next: `(text of ${secrets.checkpoint.length} characters)`, page: 2 } },
    ],
    findings: [{ code: 'dead_letters' }, { code: 'topic_unregistered' }],
  })
  expect(json('processes.json')).toMatchObject([{ process: { kind: 'run', ended: { reason: 'ended' } } }])
  const names = json('topics.json').map(({ name }: { name: string }) => name)
  expect(names).toEqual(expect.arrayContaining(['acme.book.1_0_0.book_Page', systemTopics.checkpoints]))
})

test('of client.properties it has names only, and it is made although the queue cannot be opened', async () => {
  const properties = join(dir, 'client.properties')
  await writeFile(
    properties,
    `security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nsasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule \\
  required username="${secrets.kafkaUser}" password="${secrets.kafkaPassword}";\nssl.keystore.secret: ${secrets.keystore}\n`,
  )
  const other = join(dir, 'kafka.tar.gz')
  // The file has a mistake, so that no broker is waited for.
  const made = await doctor('--queue', 'kafka://127.0.0.1:1', '--kafka-config', properties, '--support-bundle', other)
  expect(made).toMatchObject({ code: 1, stdout: expect.stringContaining('invalid_kafka_config') })
  const found = await unpack(other)
  expect(JSON.parse(found.get('client-properties.json')!)).toEqual({
    set: ['sasl.jaas.config', 'sasl.mechanism', 'security.protocol', 'ssl.keystore.secret'],
    values: { 'security.protocol': 'SASL_SSL', 'sasl.mechanism': 'PLAIN' },
  })
  const all = [...found].flat().join('\n')
  for (const secret of Object.values(secrets)) expect(all).not.toContain(secret)
})
