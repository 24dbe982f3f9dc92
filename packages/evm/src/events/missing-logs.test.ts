import { id, toBeHex, zeroPadValue } from 'ethers'
import { expect, test } from 'vitest'
import { createLogBlocks } from '../../../testbed/recorded-chain/log-blocks.ts'
import type { LogContent } from '../../../testbed/recorded-chain/logs-bloom.ts'
import { bloomBits, falsePositives, mayContain } from './bloom.ts'
import { createCreatedContracts } from './created-contracts.ts'
import type { EventFilter } from './event-filter.ts'
import { toEventHeader } from './event-header.ts'
import type { EventLog } from './event-log.ts'
import { parseFilters } from './log-filter.ts'
import { createMissingLogs } from './missing-logs.ts'

const address = (index: number) => zeroPadValue(toBeHex(index + 1), 20)
const word = (value: number) => zeroPadValue(toBeHex(value), 32)
const [transfer, approval] = [id('Transfer(address,uint256)'), id('Approval(address,uint256)')]

/** A block with these logs, and what its header shows of them. */
function blockOf(logs: readonly LogContent[]) {
  const [{ block, receipts }] = createLogBlocks([logs]) as [ReturnType<typeof createLogBlocks>[number]]
  const header = toEventHeader(block, 0, () => {})
  return { header, logs: receipts.flatMap((receipt) => receipt.logs as readonly EventLog[]) }
}

const event = 'Transfer(address indexed of, uint256 value)'
const log = (contract: number, topic = transfer, of = 5): LogContent => ({
  ...{ address: address(contract), topics: [topic, word(of)], data: word(1) },
})

function surpriseOf(filter: EventFilter, all: readonly LogContent[], isReturned: (log: EventLog) => boolean): number {
  const { filters, factories } = parseFilters([filter], 0)
  const { header, logs } = blockOf(all)
  return createMissingLogs(filters, createCreatedContracts(factories)).surprise(header, logs.filter(isReturned))
}

test('a block is suspicious if its bloom has a contract and an event without a log', () => {
  const logs = [log(1), log(2), log(2, approval)]
  const all = () => true
  const none = () => false
  for (const contract of [1, 2]) {
    expect(surpriseOf({ address: address(contract), event }, logs, none)).toBeGreaterThan(0)
    expect(surpriseOf({ address: address(contract), event }, logs, all)).toBe(0)
  }
  expect(surpriseOf({ address: address(3), event }, logs, none)).toBe(0)
  expect(surpriseOf({ address: address(1), event: event.replace('Transfer', 'Other') }, logs, none)).toBe(0)
  expect(surpriseOf({ event }, logs, none)).toBeGreaterThan(0)
  expect(surpriseOf({ event }, logs, all)).toBe(0)
  expect(surpriseOf({}, logs, none)).toBeGreaterThan(0)
  expect(surpriseOf({}, [], none)).toBe(0)
  expect(surpriseOf({ event, arguments: { of: address(8) } }, logs, none)).toBe(0)
  const both = { address: [address(1), address(2)], event }
  expect(surpriseOf(both, logs, ({ address: of }) => of === address(1))).toBeGreaterThan(0)
})

test('a chain without blooms has no suspicious blocks', () => {
  const { filters, factories } = parseFilters([{}], 0)
  const missing = createMissingLogs(filters, createCreatedContracts(factories))
  const [{ block }] = createLogBlocks([[log(1)]]) as [ReturnType<typeof createLogBlocks>[number]]
  for (const logsBloom of [undefined, null, '0x', `0x${'0'.repeat(512)}`]) {
    const header = toEventHeader({ ...block, logsBloom }, 0, () => {})
    expect(missing.surprise(header, [])).toBe(0)
    expect(missing.mayHaveLogs(header)).toBe(true)
  }
  expect(() => toEventHeader({ ...block, logsBloom: '0x12' }, 0, () => {})).toThrow('it has no valid logsBloom')
})

/** Logs with two topics of their own each, as transfers between many accounts. */
test.each([50, 150, 300, 600, 1200])('a bloom of %i logs seems to have absent values as often as expected', (count) => {
  const topics = (index: number) => [transfer, id(`${index}`), id(`-${index}`)]
  const logs = Array.from({ length: count }, (_, index) => ({ ...log(index % 50), topics: topics(index) }))
  const bloom = blockOf(logs).header.bloom!
  const values = 4000
  const found = Array.from({ length: values }, (_, index) => bloomBits(id(`absent ${index}`))).filter((bits) =>
    mayContain(bloom, bits),
  ).length
  const expected = falsePositives(bloom) * values
  expect(Math.abs(found - expected)).toBeLessThan(5 * Math.sqrt(expected) + 5)
  expect(logs.every(({ topics }) => topics.every((topic) => mayContain(bloom, bloomBits(topic))))).toBe(true)
})
