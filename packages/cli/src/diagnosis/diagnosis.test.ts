import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openQueue } from '@headrace/queue'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runInProcess } from '../../test/command-in-process.ts'
import { diagnoseNode, diagnosePort } from './diagnosis.ts'

let dir: string
let queue: string
const server = createServer((_, response) => response.writeHead(404).end())
let used: number
/** Nothing listens here, and no program is given this port by chance. */
const refusing = 3
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'headrace-doctor-'))
  queue = `embedded:${join(dir, 'queue')}`
  await (await openQueue(queue)).close()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  used = (server.address() as AddressInfo).port
  await writeFile(join(dir, 'a.proto'), 'syntax = "proto3";\nmessage A { string a = 1; }\n')
  await declare('acme')
})
afterAll(async () => {
  server.close()
  await rm(dir, { recursive: true })
})

const declare = (owner: string) =>
  writeFile(
    join(dir, 'manifest.yaml'),
    `package: book\nowner: ${owner}\nversion: 1.0.0\nconfig:\n  properties:\n    rpc: { type: string }\n  required: [rpc]\n`,
  )
const doctor = (...args: string[]) => runInProcess(['doctor', dir, '--queue', queue, ...args])
const findings = ({ stdout }: { readonly stdout: string }) =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

test('each part without problems has a line of its own with "ok"', async () => {
  const { code, stdout } = await doctor('--set', `rpc=http://127.0.0.1:${used}/v1/secret`, '--port', '0')
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout:
      `queue ${queue}\n  ok\nNode ${process.versions.node}\n  ok\n` +
      `manifest and settings: ${join(dir, 'manifest.yaml')}\n  ok\nsource: rpc http://127.0.0.1:${used}\n  ok\n`,
  })
})

test('a source that cannot be reached is an error with its cause, and without the key in its path', async () => {
  const seen = await doctor('--set', `rpc=http://127.0.0.1:${refusing}/v1/secret`, '--port', '0', '--json')
  expect(seen.code).toBe(69)
  expect(findings(seen)).toMatchObject([
    { about: 'source', code: 'source_unavailable', message: expect.stringContaining('ECONNREFUSED') },
  ])
  expect(seen.stdout).not.toContain('secret')
})

test('settings that are missing and a manifest with a mistake are errors', async () => {
  const missing = await doctor('--port', '0', '--json')
  expect(missing.code).toBe(1)
  expect(findings(missing)).toMatchObject([{ about: 'manifest', code: 'invalid_settings' }])
  await declare('A B')
  const seen = await doctor('--port', '0', '--json')
  await declare('acme')
  expect(seen.code).toBe(1)
  expect(findings(seen)).toMatchObject([
    { about: 'manifest', code: 'invalid_field', place: `${join(dir, 'manifest.yaml')}:2:8` },
  ])
})

test('a port that another program uses is a warning', async () => {
  const settings = ['--set', `rpc=http://127.0.0.1:${used}`, '--json']
  const taken = await doctor(...settings, '--port', `${used}`)
  expect(taken.code).toBe(0)
  expect(findings(taken)).toMatchObject([{ about: 'port', severity: 'warning', code: 'port_in_use' }])
  for await (const found of diagnosePort(0, '127.0.0.1').findings) expect.unreachable(found.message)
})

test.each([
  ['20.19.0', 1],
  ['22.21.9', 1],
  ['22.22.0', 0],
  ['24.1.0', 0],
])('Node %s gives %i findings', (version, count) => {
  expect([...(diagnoseNode(version).findings as Iterable<unknown>)]).toHaveLength(count)
})
