import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestProject } from '@headrace/sdk/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import connectorOfExample from '../../../examples/evm/src/connector.ts'
import { type Chain, startChain } from '../../testbed/chain/chain.ts'
import { type Call, type FakeNode, startFakeNode } from '../../testbed/chain/fake-node.ts'
import { speedUpTime } from '../../testbed/fast-time.ts'
import { freePorts } from '../../testbed/kafka/free-ports.ts'
import { exitCodeOf } from '../src/exit-code.ts'
import { runInProcess } from './command-in-process.ts'

const key = 'k3y-0123456789abcdef'
let chain: Chain
let folder: string
beforeAll(async () => {
  chain = await startChain()
  await chain.mine(5)
})
afterAll(() => chain?.stop())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-evm-settings-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const run = (...settings: string[]) =>
  runInProcess(
    ['run', 'examples/evm', '--queue', `embedded:${folder}`, ...settings.flatMap((setting) => ['--set', setting])],
    { variables: process.env },
  )

/** A node of the chain with a fault. */
async function withNode<T>(fault: FakeNode['fault'], use: (rpc: string) => Promise<T>): Promise<T> {
  const node = await startFakeNode(chain.rpc)
  node.fault = fault
  try {
    return await use(`${node.rpc}/${key}`)
  } finally {
    await node.close()
  }
}

const isFirstBlock = ({ method, params: [number, isWhole] }: Call) =>
  method === 'eth_getBlockByNumber' && number === '0x0' && isWhole === true

describe('a run ends with exit code 1 and says what to do', () => {
  test.each<[string, () => string[], string]>([
    ['a URL of another scheme', () => [`rpc=ftp://node.example/${key}`], 'Setting "rpc": URL number 1 is not an http'],
    ['a text that is not a URL', () => [`rpc=node.example ${key}`], 'Give one like https://node.example/KEY'],
    ['a wrong one of several URLs', () => [`rpc=["${chain.rpc}","ws://n/${key}"]`], 'URL number 2 is not an http'],
    [
      'an invalid WebSocket URL',
      () => [`rpc=${chain.rpc}`, `ws=http://node.example/${key}`],
      'Setting "ws" is not a ws',
    ],
    [
      'a badly encoded password',
      () => [`rpc=https://me:${key}%ss@node.example`],
      'URL number 1 has a % in its user or password',
    ],
    [
      'a WebSocket URL with a fragment',
      () => [`rpc=${chain.rpc}`, `ws=wss://node.example/${key}#x`],
      'which is never sent to a server. Remove it',
    ],
    [
      'an end before the start',
      () => [`rpc=${chain.rpc}`, 'start=9', 'end=8'],
      'Set an end that is not below the start',
    ],
  ])('for %s', async (_, settings, message) => {
    const { code, stderr } = await run(...settings())
    expect(code, stderr).toBe(1)
    expect(JSON.parse(stderr.trimEnd().split('\n').at(-1)!).msg).toContain(message)
    expect(stderr).not.toContain(key)
  })

  test('for another chain than the published one', async () => {
    const other = await startChain({ chainId: 4242 })
    try {
      expect(await run(`rpc=${chain.rpc}`, 'start=0', 'end=3')).toMatchObject({ code: 0 })
      const { code, stderr } = await run(`rpc=${other.rpc}/?key=${key}`, 'end=5')
      expect(code, stderr).toBe(1)
      expect(stderr).toContain('serves chain 4242, but the published blocks are from chain 31337')
      expect(stderr).toContain('"code":"chain_changed"')
      expect(stderr).not.toContain(key)
    } finally {
      await other.stop()
    }
  })

  test('for blocks that the node has removed', () => {
    const error = { code: 4444, message: 'pruned history unavailable' }
    const pruned = (call: Call) => (isFirstBlock(call) ? { body: JSON.stringify({ id: call.id, error }) } : undefined)
    return withNode(pruned, async (rpc) => {
      const { code, stderr } = await run(`rpc=${rpc}`, 'start=0', 'end=3')
      expect(code, stderr).toBe(1)
      expect(stderr).toContain(
        'The node has removed block 0 from its history. Set \\"rpc\\" to a node with the whole history',
      )
      expect(stderr).not.toContain(key)
    })
  })

  test.each([
    `{"message":"unknown key ${key}"}`,
    `{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"unknown key ${key}"}}`,
  ])('for a key that is refused with %s', (body) =>
    withNode(
      () => ({ status: 401, body }),
      async (rpc) => {
        const { code, stderr } = await run(`rpc=${rpc}`, 'start=0', 'end=3')
        expect(code, stderr).toBe(1)
        expect(stderr).toContain('Check the URL in setting \\"rpc\\" and the key in it')
        expect(stderr).not.toContain(key)
      },
    ),
  )
})

describe('a run whose node fails for longer than the time budget', () => {
  const failureOf = async (rpc: string) => {
    speedUpTime()
    const folder = new URL('../../../examples/evm', import.meta.url)
    await using project = await createTestProject(folder, { settings: { rpc, start: 0, end: 3 } })
    return await project.run(connectorOfExample, { retry: { budgetMs: 1 } }).catch((error: Error) => error)
  }

  test('ends with exit code 69 where the node cannot be reached', async () => {
    const [port] = await freePorts(1)
    const failure = await failureOf(`http://127.0.0.1:${port}/${key}`)
    expect(exitCodeOf(failure)).toBe(69)
    expect(String(failure)).toContain(`The node at http://127.0.0.1:${port} did not answer`)
    expect(String(failure)).toContain('Check that it runs, and its URL in setting "rpc"')
  })

  test('ends with exit code 69 and says what to do where the node answers null for old blocks', () =>
    withNode(
      (call) => (isFirstBlock(call) ? { result: () => null } : undefined),
      async (rpc) => {
        const failure = await failureOf(rpc)
        expect(exitCodeOf(failure)).toBe(69)
        expect(String(failure)).toContain('set "rpc" to a node with the whole history, or set "start" to a later block')
      },
    ))

  test('ends with exit code 75 where the node refuses temporarily', () =>
    withNode(
      () => ({ status: 429, body: '{}' }),
      async (rpc) => {
        const failure = await failureOf(rpc)
        expect(exitCodeOf(failure)).toBe(75)
        expect(String(failure)).not.toContain(key)
      },
    ))
})
