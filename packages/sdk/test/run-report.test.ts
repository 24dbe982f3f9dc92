import {
  checkpointKey,
  checkpointPartition,
  checkpointRingKey,
  decodeCheckpoint,
  readRunReport,
  systemTopics,
} from '@headrace/catalog'
import type { EndpointHealth } from '@headrace/sdk'
import { expect, test } from 'vitest'
import { chainConnector } from './chain/connector.ts'
import { openChain } from './chain/open.ts'

const health = { backOffs: 0, limit: 1, running: 0, answers: 1, latencyMs: 1 }
const failures = { overloaded: 0, unavailable: 0, wrong: 0, refused: 0 }
const endpoints: readonly EndpointHealth[] = [
  { name: 'https://one.example', state: 'serving', ...health, failures },
  { name: 'https://two.example', state: 'backing_off', ...health, failures },
]

test('a run stores what it knows of its source in its newest checkpoint, and not in the ring', async () => {
  const project = await openChain()
  const { writerId } = project.instance
  const read = async (key: Uint8Array) =>
    (await project.queue.latest(systemTopics.checkpoints, checkpointPartition(writerId), key))!.value!
  await project.run(chainConnector(), { stopAfter: 3 })
  const silent = await read(checkpointKey(writerId))
  expect(silent).toEqual(await read(checkpointRingKey(writerId, decodeCheckpoint(silent).unit)))
  await project.run(
    chainConnector(async (unit, source) => {
      source.watchEndpoints?.(() => endpoints)
      source.progress(unit.checkpoint.number, 25)
      return unit
    }),
  )
  const newest = await read(checkpointKey(writerId))
  const { unit } = decodeCheckpoint(newest)
  expect(readRunReport(newest)).toEqual({
    source: { position: 20, head: 25 },
    endpoints: [
      { endpoint: 'https://one.example', up: true },
      { endpoint: 'https://two.example', up: false },
    ],
  })
  const stored = await read(checkpointRingKey(writerId, unit))
  expect(readRunReport(stored)).toEqual({ endpoints: [] })
  expect(decodeCheckpoint(stored)).toEqual(decodeCheckpoint(newest))
  await project.close()
})
