import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTestProject } from '@headrace/sdk/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Chain, startChain } from '../../testbed/chain/chain.ts'
import { call, quantity } from '../../testbed/chain/json-rpc.ts'
import { type LinkedProject, makeLinkedProject } from './linked-project.ts'

let project: LinkedProject
beforeAll(async () => {
  project = await makeLinkedProject('--template', 'evm-blocks')
})
afterAll(() => project?.[Symbol.asyncDispose]())

test('without a node the recording is published, and the log says so', async () => {
  const { code, stderr } = await project.connector('run', '--queue', 'embedded:recorded-data', '--set', 'end=36')
  expect(code).toBe(0)
  expect(stderr).toMatch(/"level":40,.*recorded\/blocks\.json.*setting \\"rpc\\" is not set/)
  await using published = await createTestProject(project.dir, {
    queue: `embedded:${join(project.dir, 'recorded-data')}`,
  })
  expect(await published.queue.describe(['me.demo.1_0_0.recorded_Block'])).toHaveLength(1)
  expect(await published.records('Block')).toHaveLength(36)
})

test('with a node its chain is published, to topics of its own', async () => {
  const chain: Chain = await startChain()
  try {
    await chain.mine(5)
    const settings = [`rpc=${chain.rpc}`, 'chain=local', 'start=0', 'end=5'].flatMap((each) => ['--set', each])
    expect(await project.connector('run', '--queue', 'embedded:data', ...settings)).toMatchObject({ code: 0 })
    await using published = await createTestProject(project.dir, {
      queue: `embedded:${join(project.dir, 'data')}`,
      settings: { chain: 'local' },
    })
    const blocks = await Promise.all([0, 1, 2, 3, 4, 5].map((number) => blockOf(chain, number)))
    expect((await published.records('Block')).map(({ key }) => key)).toEqual(blocks.map(({ hash }) => hash))
    expect((await published.records('Transaction')).map(({ key }) => key)).toEqual(
      blocks.flatMap(({ transactions }) => transactions),
    )
  } finally {
    await chain.stop()
  }
})

test('its messages are those of the example, with the same comments', async () => {
  const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8')
  const declarations = async (path: string) => (await read(path)).match(/^(?:\/\/.*\n)*message [\s\S]*?^\}$/gm) ?? []
  const own = await declarations('../../../templates/evm-blocks/proto/evm.proto')
  const all = await declarations('../../../examples/evm/proto/evm.proto')
  expect(own).toHaveLength(4)
  expect(all).toEqual(expect.arrayContaining(own))
})

function blockOf({ rpc }: Chain, number: number): Promise<{ hash: string; transactions: string[] }> {
  return call(rpc, 'eth_getBlockByNumber', [quantity(number), false])
}
