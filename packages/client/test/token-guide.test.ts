import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { orders, returns, type ServedShop, serveShop } from '../../server/test/shop/served-shop.ts'
import { freePorts } from '../../testbed/kafka/free-ports.ts'
import { programs } from './guide.ts'

let shop: ServedShop
beforeAll(async () => {
  shop = await serveShop()
  await shop.publish(orders, 3)
})
afterAll(() => shop[Symbol.asyncDispose]())

const program = (language: string) => programs(language, 'tokens.md')[0]!
const variables = () => ({ ...process.env, URL: shop.url, KEY: shop.key, TOPIC: orders })

/** Expects that a gateway accepts a token, for one topic only. */
async function expectToken(token: string): Promise<void> {
  const statusOf = async (topic: string) =>
    (await shop.get(`/api/v1/data/${topic}`, { authorization: `Bearer ${token.trim()}` })).status
  expect(await Promise.all([orders, returns].map(statusOf))).toEqual([200, 403])
}

test('the backend in Node serves tokens', async () => {
  const [port] = await freePorts(1)
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program('ts')], {
    ...{ cwd: import.meta.dirname, env: { ...variables(), PORT: `${port}` } },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const exited = once(child, 'exit')
  let response: Response | undefined
  while (!response && child.exitCode === null) {
    await wait(20)
    response = await fetch(`http://localhost:${port}/token`).catch(() => undefined)
  }
  await expectToken(await response!.text())
  child.kill('SIGKILL')
  await exited
})

const pythonFolder = inject('pythonFolder')
test.skipIf(pythonFolder === null)('the program in Python creates a token', async () => {
  const { stdout } = await execa(join(pythonFolder!, 'python3'), ['-c', program('python')], { env: variables() })
  await expectToken(stdout)
})

test.skipIf(inject('goFolder') === null)('the program in Go creates a token', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-token-'))
  await writeFile(join(folder, 'main.go'), program('go'))
  const { stdout } = await execa('go', ['run', 'main.go'], { cwd: folder, env: variables() })
  await expectToken(stdout)
  await rm(folder, { recursive: true })
})

test('a gateway creates a token for curl', async () => {
  const { stdout } = await execa('sh', ['-c', program('sh')], { env: variables() })
  await expectToken(JSON.parse(stdout).token)
})
