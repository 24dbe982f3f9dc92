import { expect, test } from 'vitest'
import { readBlocks } from '../src/index.ts'
import { asked, stopTheClock, untilLogged, useChainDoors, warnings } from './chain-doors.ts'
import type { FaultyNode } from './faulty-node.ts'
import { servesOtherBranch } from './lying-node.ts'
import { createRecordingSource, type RecordingSource } from './recording-source.ts'

const doors = useChainDoors()
const { settings, hashes } = doors

/** Answers about a block with another one of its number, so many times. */
const lies = (number: number, times: number): FaultyNode['fault'] => {
  const lie = servesOtherBranch({ fork: number - 1 })
  let left = times
  let isLying = false
  return (call) => {
    if (Number(call.params[0]) !== number) return undefined
    // How many transactions the block has goes by the one that was handed out.
    if (call.method === 'eth_getBlockByNumber') isLying = left-- > 0
    return isLying ? lie(call) : undefined
  }
}

async function expectRead({ steps }: RecordingSource): Promise<void> {
  expect(steps.map(({ checkpoint }) => checkpoint.hash)).toEqual((await hashes()).slice(40, 46))
}

test('a first block that one endpoint invents once is not published', async () => {
  doors.first.fault = lies(40, 1)
  const source = createRecordingSource()
  await source.take(readBlocks(settings({ rpc: doors.first.rpc, start: 40, end: 45 }), source))
  await expectRead(source)
})

test('the source waits while endpoints disagree on the first block', async () => {
  doors.first.fault = lies(40, 20)
  const source = createRecordingSource()
  await source.take(readBlocks(settings({ start: 40, end: 45 }), source))
  await expectRead(source)
  expect(warnings(source, 'endpoints disagree on the first block')).toHaveLength(1)
})

test('the source waits if one of the endpoints that disagree on the first block fails', async () => {
  const { first, second } = doors
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
  const { first, second, third } = doors
  first.fault = lies(40, Number.POSITIVE_INFINITY)
  const source = createRecordingSource()
  const rpc = [first, second, third].map(({ rpc }) => rpc)
  await source.take(readBlocks(settings({ rpc, start: 40, end: 45 }), source))
  await expectRead(source)
})
