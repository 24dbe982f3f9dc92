import { expect, test } from 'vitest'
import type { FakeNode } from '../../testbed/chain/fake-node.ts'
import { readBlocks } from '../src/index.ts'
import { asked, stopTheClock, untilLogged, useFakeNodes, warnings } from './fake-nodes.ts'
import { servesOtherBranch } from './node-faults.ts'
import { createRecordingSource, type RecordingSource } from './recording-source.ts'

const nodes = useFakeNodes()
const { settings, hashes } = nodes

/** Faults of a node that returns another block of this number, `times` times. */
const inventsBlock = (number: number, times: number): FakeNode['fault'] => {
  const otherBranch = servesOtherBranch({ fork: number - 1 })
  let left = times
  let isInvented = false
  return (call) => {
    if (Number(call.params[0]) !== number) return undefined
    // The transaction count must match the block that was returned before.
    if (call.method === 'eth_getBlockByNumber') isInvented = left-- > 0
    return isInvented ? otherBranch(call) : undefined
  }
}

async function expectRead({ steps }: RecordingSource): Promise<void> {
  expect(steps.map(({ checkpoint }) => checkpoint.hash)).toEqual((await hashes()).slice(40, 46))
}

test('a first block that one endpoint invents once is not published', async () => {
  nodes.first.fault = inventsBlock(40, 1)
  const source = createRecordingSource()
  await source.take(readBlocks(settings({ rpc: nodes.first.rpc, start: 40, end: 45 }), source))
  await expectRead(source)
})

test('the source waits while endpoints disagree on the first block', async () => {
  nodes.first.fault = inventsBlock(40, 20)
  const source = createRecordingSource()
  await source.take(readBlocks(settings({ start: 40, end: 45 }), source))
  await expectRead(source)
  expect(warnings(source, 'endpoints disagree on the first block')).toHaveLength(1)
})

test('the source waits if one of the endpoints that disagree on the first block fails', async () => {
  const { first, second } = nodes
  first.fault = servesOtherBranch({ fork: 39 })
  const source = createRecordingSource()
  const pass = stopTheClock()
  const reading = source.take(readBlocks(settings({ start: 40, end: 45 }), source))
  await untilLogged(source, 'endpoints disagree on the first block')
  second.fault = () => ({ status: 502 })
  await asked(first, 30)
  expect(source.steps).toEqual([])
  first.fault = second.fault = () => undefined
  pass(1000)
  await reading
  await expectRead(source)
})

test('the first block is the one that most endpoints have', async () => {
  const { first, second, third } = nodes
  first.fault = inventsBlock(40, Number.POSITIVE_INFINITY)
  const source = createRecordingSource()
  const rpc = [first, second, third].map(({ rpc }) => rpc)
  await source.take(readBlocks(settings({ rpc, start: 40, end: 45 }), source))
  await expectRead(source)
})
