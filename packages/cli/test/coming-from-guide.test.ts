import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { startChain } from '../../testbed/chain/chain.ts'
import { call } from '../../testbed/chain/json-rpc.ts'
import { compilerOutput } from '../../testbed/guide/compile.ts'
import { connector, startConnector } from './whole-path/connector-process.ts'

const root = join(import.meta.dirname, '../../..')
const guide = readFileSync(join(root, 'docs/guides/coming-from.md'), 'utf8')
// Inside the repository, so that the packages are found as in a project that has installed them.
mkdirSync(join(root, '.cache'), { recursive: true })
const folder = mkdtempSync(join(root, '.cache', 'coming-from-'))
const queue = ['--queue', `embedded:${join(folder, 'queue')}`]
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function project(heading: string): Promise<string> {
  const section = guide.split('\n### ').find((part) => part.startsWith(heading))!
  const code = (language: string) => new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(section)![1]!
  const name = /^package: (\w+)$/m.exec(code('yaml'))![1]!
  const dir = join(folder, name)
  mkdirSync(join(dir, 'src'), { recursive: true })
  writeFileSync(join(dir, 'manifest.yaml'), code('yaml'))
  writeFileSync(join(dir, `${name}.proto`), code('proto'))
  writeFileSync(join(dir, 'src', 'connector.ts'), code('ts'))
  expect(await connector('codegen', dir)).toMatchObject({ code: 0 })
  expect(await compilerOutput(dir, ['src'])).toBe('')
  return dir
}

async function values(topic: string): Promise<Record<string, unknown>[]> {
  const { stdout } = await connector('read', topic, '--json', '--order', 'asc', ...queue)
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).value)
}

test('the migrated task of Kafka Connect publishes the data of an API, and continues where it was', async () => {
  const items = ['pen', 'ink', 'paper']
  const api = createServer((request, response) => {
    const after = Number(new URL(request.url!, 'http://localhost').searchParams.get('after'))
    response.end(JSON.stringify(items.map((item, index) => ({ id: index + 1, item })).slice(after)))
  })
  await once(api.listen(0, '127.0.0.1'), 'listening')
  const dir = await project('Moved: a task')
  const url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
  const publish = async (count: number) => {
    const run = startConnector(['run', dir, '--set', `url=${url}`, '--set', 'poll=0.1', ...queue])
    await expect.poll(() => values('me.orders.1_0_0.orders_Order')).toHaveLength(count)
    run.child.kill('SIGTERM')
    expect(await run.ended).toMatchObject({ code: 0 })
  }
  await publish(3)
  items.push('glue')
  await publish(4)
  const orders = await values('me.orders.1_0_0.orders_Order')
  expect(orders).toEqual(items.map((item, index) => ({ id: String(index + 1), item })))
  api.close()
})

test('the migrated map module of Substreams publishes the payments of a chain', async () => {
  const chain = await startChain()
  onTestFinished(() => chain.stop())
  await chain.mine(20)
  const dir = await project('Moved: a map module')
  const run = await connector('run', dir, '--set', `rpc=${chain.rpc}`, '--set', 'end=20', ...queue)
  expect(run).toMatchObject({ code: 0 })
  const block = (number: number) =>
    call<SentBlock>(chain.rpc, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, true])
  const blocks = await Promise.all(Array.from({ length: 21 }, (_, number) => block(number)))
  const sent = blocks
    .flatMap(({ transactions }) => transactions)
    .filter(({ value, to }) => to !== null && BigInt(value) > 0n)
    .map(({ from, to, value }) => ({ sender: from, recipient: to, wei: String(BigInt(value)) }))
  const payments = await values('me.payments.1_0_0.payments_Payment')
  expect(payments.map(({ sender, recipient, wei }) => ({ sender, recipient, wei }))).toEqual(sent)
  expect(sent.length).toBeGreaterThan(0)
})

test('the command of the guide creates the project that replaces the handler of Ponder', async () => {
  const section = guide.split('\n### ').find((part) => part.startsWith('Moved: the transfers'))!
  const line = /^```sh\n(.*?)^```$/ms.exec(section)![1]!.replaceAll('\\\n', '')
  const home = join(folder, 'ponder')
  mkdirSync(home)
  const bin = join(root, 'packages/create-connector/bin/create-connector.js')
  const args = line.trim().split(/\s+/).slice(2)
  await execa(process.execPath, [bin, ...args, '--no-install'], { cwd: home })
  const valid = await connector('manifest', 'validate', join(home, 'transfers'), '--json')
  expect(JSON.parse(valid.stdout)).toMatchObject({ valid: true })
  expect(readFileSync(join(home, 'transfers/manifest.yaml'), 'utf8')).toMatch(/^ *name: "?usdc_Transfer"?$/m)
  expect(readFileSync(join(home, 'transfers/.env.example'), 'utf8')).toContain('CONNECTOR_RPC=')
})

interface SentBlock {
  readonly transactions: readonly { readonly from: string; readonly to: string | null; readonly value: string }[]
}
