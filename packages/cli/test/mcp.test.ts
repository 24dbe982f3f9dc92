import { once } from 'node:events'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { openQueue } from '@headrace/queue'
import { createGateway, createKey, listKeys } from '@headrace/server'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createVerifyTool } from '../src/mcp/verify-tool.ts'
import type { SettingsOptions } from '../src/options/settings-options.ts'
import { runCli } from '../src/run-cli.ts'
import { runInProcess } from './command-in-process.ts'
import { bin, startConnector } from './whole-path/connector-process.ts'

const topic = 'acme.ticks.1_0_0.ticks_Tick'
/** Writes to standard output, which belongs to the protocol in the command under test. */
const code = `import { defineConnector } from '@headrace/sdk'
import { schema } from './generated/schema.ts'

console.log('{"jsonrpc":"2.0","id":1,"result":{}}')

export default defineConnector({
  schema,
  async *read() {
    for (let number = 1; number <= 30; number++) yield { checkpoint: number, messages: { Tick: [{ number: BigInt(number) }] } }
  },
})
`

let folder: string
let dir: string
let queue: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-mcp-'))
  dir = join(folder, 'ticks')
  queue = `embedded:${join(folder, 'queue')}`
  await mkdir(join(dir, 'src'), { recursive: true })
  await writeFile(join(dir, 'manifest.yaml'), 'owner: acme\npackage: ticks\nversion: 1.0.0\nrun: src/connector.ts\n')
  await writeFile(
    join(dir, 'ticks.proto'),
    'syntax = "proto3";\npackage acme.ticks;\n// A tick.\nmessage Tick { uint64 number = 1; }\n',
  )
  await writeFile(join(dir, 'src/connector.ts'), code)
  expect(await runInProcess(['codegen', dir])).toMatchObject({ code: 0 })
  expect(await startConnector(['run', dir, '--queue', queue]).ended).toMatchObject({ code: 0 })
})
afterAll(() => rm(folder, { recursive: true }))

/** Starts the command as the host of a language model does. */
async function open(args: readonly string[], env: Record<string, string> = {}, cwd = folder) {
  const transport = new StdioClientTransport({
    ...{ command: process.execPath, args: [bin, 'mcp', ...args], cwd, stderr: 'pipe' },
    env: { PATH: process.env.PATH!, ...env },
  })
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } })
  onTestFinished(() => client.close())
  await client.connect(transport)
  const { tools } = await client.listTools()
  const call = async (name: string, given: Record<string, unknown> = {}) => {
    const { isError, content, structuredContent } = await client.callTool({ name, arguments: given })
    return isError ? (content as { text: string }[])[0]!.text : (structuredContent as Record<string, unknown>)
  }
  return { client, call, tools: tools.map(({ name }) => name) }
}

test('the command reads a queue through a gateway of its own, and leaves no key in it', async () => {
  const { client, call, tools } = await open(['--queue', queue])
  expect(tools).toEqual(['list_topics', 'describe_topic', 'newest_records', 'read_records', 'connector_lag'])
  expect(await call('list_topics')).toMatchObject({ topics: [{ topic }] })
  expect(await call('newest_records', { topic, limit: 1 })).toMatchObject({ records: [{ value: { number: '30' } }] })
  await client.close()
  await using opened = Object.assign(await openQueue(queue), { [Symbol.asyncDispose]: () => opened.close() })
  expect(await listKeys(opened)).toEqual([])
})

test('the command reads through a gateway with the key in the environment', async () => {
  const opened = await openQueue(queue)
  const { key } = await createKey(opened, { name: 'test', environment: 'development', topics: ['other.*'] })
  const gateway = await createGateway({ queue: opened, port: 0, log: pino({ level: 'silent' }) })
  onTestFinished(async () => {
    await gateway.close()
    await opened.close()
  })
  const { call } = await open(['--url', gateway.url], { HEADRACE_API_KEY: key })
  expect(await call('list_topics')).toMatchObject({ topics: [] })
  expect(await call('newest_records', { topic })).toMatch(/^topic_forbidden \(403\): /)
  await gateway.close()
  expect(await call('list_topics')).toBe(
    `The gateway at ${gateway.url} does not answer (ECONNREFUSED). Check that it runs, and try again.`,
  )
})

test('the folder of a connector adds a report of connector verify, whose output stays off the protocol', async () => {
  const { call, tools } = await open([dir, '--queue', queue])
  expect(tools).toContain('verify_report')
  expect(await call('verify_report')).toMatchObject({
    complete: true,
    findings: [],
    found: 0,
    summary: { units: 30, records: 30, comparable: false },
  })
})

test('a report has what connector verify finds, and says why there is none', async () => {
  const slow = join(folder, 'slow')
  await cp(dir, slow, { recursive: true })
  await writeFile(join(slow, 'src/connector.ts'), 'setInterval(() => {}, 1000)\nawait new Promise(() => {})\n')
  const context = { request: () => Promise.reject(new Error('not used')), signal: new AbortController().signal }
  const report = (project: string, options: SettingsOptions = {}) =>
    createVerifyTool(project, { queue, ...options }).call({ seconds: project === slow ? 1 : 30 }, context)
  const [found, refused, late] = await Promise.all([
    report(dir, { instance: 'other' }),
    report(dir, { set: ['none=1'] }).catch((error: Error) => error.message),
    report(slow),
  ])
  expect(found).toMatchObject({ found: 1, findings: [{ code: 'checkpoint_missing' }] })
  expect(refused).toMatch(/^connector verify failed\. The settings are invalid:/)
  expect(late).toEqual({
    ...{ complete: false, findings: [], found: 0 },
    notes: ['Ended after 1 s, before all was read. Allow more seconds.'],
  })
})

test('the end of the input and a signal end the command with exit code 0, with nothing else on standard output', async () => {
  const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  for (const end of ['input', 'signal']) {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
    const stop = new AbortController()
    const ended = runCli(['mcp', '--queue', queue], {
      ...{ variables: {}, stdin: stdin as never, stdout, stderr },
      listenForShutdown: () => stop.signal,
      redirectNodeWarnings: () => {},
    })
    stdin.write(`no message\n${JSON.stringify({ ...initialize, params })}\n`)
    const [answer] = (await once(stdout, 'data')) as [Buffer]
    expect(JSON.parse(answer.toString())).toMatchObject({ id: 1, result: { serverInfo: { name: 'headrace' } } })
    if (end === 'input') stdin.end()
    else stop.abort()
    expect([end, await ended, stdout.read()]).toEqual([end, 0, null])
  }
})

test('a queue that does not exist is an error', async () => {
  const { code, stdout, stderr } = await runInProcess(['mcp', '--queue', `embedded:${join(folder, 'none')}`])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('queue_not_found')
})
