import type { PublishedMessage } from '@headrace/sdk'
import { expect, test } from 'vitest'
import { createAbsentParts } from './absent-parts.ts'
import type { PublishedBlock } from './published-block.ts'

const record = { unit: 1 } as PublishedMessage
const block = (number: number, transactionCount = 2): PublishedBlock => ({
  ...{ number, transactionCount, record: { ...record, unit: number + 1 }, hash: '0xb', parentHash: '0xa' },
})
const both = { Block: 'b', Transaction: 't', Receipt: 'r' }

test('consecutive blocks without receipts are one finding, which ends at a block with receipts', () => {
  const absent = createAbsentParts()
  expect(absent.take(block(1), { Transaction: [record], Receipt: [record] }, both)).toEqual({
    names: new Set(),
    findings: [],
  })
  for (const number of [2, 3]) {
    const taken = absent.take(block(number), { Transaction: [record] }, both)
    expect(taken).toEqual({ names: new Set(['Receipt']), findings: [] })
  }
  // A block without transactions has none anyway.
  expect(absent.take(block(4, 0), {}, both)).toEqual({ names: new Set(), findings: [] })
  expect(absent.take(block(5), { Transaction: [record], Receipt: [record] }, both).findings).toMatchObject([
    { code: 'missing_in_block', topic: 'r', unit: 3, source: { block: 2 }, expected: 4, found: 0 },
  ])
  expect(absent.end()).toEqual([])
})

test('at the end every range is a finding, and messages that are not published have none', () => {
  const absent = createAbsentParts()
  absent.take(block(1), {}, { Block: 'b', Transaction: 't' })
  absent.take(block(2), {}, both)
  expect(absent.end()).toMatchObject([
    { message: 'All 4 transactions of 2 blocks from 1 to 2 are missing.', source: { block: 1 } },
    { message: 'All 2 receipts of block 2 are missing.', source: { block: 2 } },
  ])
})
