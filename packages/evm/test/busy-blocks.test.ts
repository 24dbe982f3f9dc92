import { beforeAll, expect, test } from 'vitest'
import { createBusyBlocks, token } from '../../testbed/recorded-chain/busy-blocks.ts'
import { bloomOf } from '../../testbed/recorded-chain/logs-bloom.ts'
import { type RecordedBlock, readRecording } from '../../testbed/recorded-chain/recording.ts'

let recorded: readonly RecordedBlock[]
beforeAll(async () => {
  recorded = await readRecording()
})

test('the bloom of logs is the one that a node computes', () => {
  for (const { block, receipts } of recorded)
    expect(block.logsBloom).toBe(bloomOf(receipts.flatMap(({ logs }) => logs)))
})

test('busy blocks have the requested transactions, and receipts with the requested logs in order', () => {
  const transactionCounts = [100, 150, 200, 0, 300]
  const blocks = createBusyBlocks(recorded, { transactionCounts, tokenEvents: [10, 0] })
  expect(blocks.map(({ block }) => block.transactions.length)).toEqual(transactionCounts)
  for (const [number, { block, receipts }] of blocks.entries()) {
    const places = block.transactions.map(({ hash, transactionIndex }) => [hash, transactionIndex])
    expect(receipts.map(({ transactionHash, transactionIndex }) => [transactionHash, transactionIndex])).toEqual(places)
    expect(places.map(([, index]) => Number(index))).toEqual([...places.keys()])
    const logs = receipts.flatMap(({ logs }) => logs)
    expect(logs.map(({ logIndex }) => Number(logIndex))).toEqual([...logs.keys()])
    expect(logs.length).toBe(transactionCounts[number]! * 3)
    expect(logs.filter(({ address }) => address === token).length).toBe(logs.length === 0 || number % 2 ? 0 : 10)
    expect(new Set(logs.map(({ address }) => address)).size).toBeGreaterThanOrEqual(logs.length === 0 ? 0 : 40)
    expect(receipts.every(({ status, logs }) => status === '0x1' || logs.length === 0)).toBe(true)
    expect(block.logsBloom).toBe(bloomOf(logs))
  }
})
