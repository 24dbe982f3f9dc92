import type { RpcLog } from '@headrace/evm'
import { AbiCoder, EventFragment, getBytes, id, zeroPadValue } from 'ethers'
import { describe, expect, it } from 'vitest'
import { createDecoder } from '../../../templates/evm-events/src/decode.ts'

const events = {
  Named: 'event Named(address indexed who, string name, bytes32 hash)',
  Transfer: 'event Transfer(address indexed from, uint256 value)',
  Transfer2: 'event Transfer(address indexed from, uint256 indexed value)',
  Raw: 'event Raw(bytes raw)',
}
const topic = (name: keyof typeof events) => EventFragment.from(events[name]).topicHash
const who = `0x${'ab'.repeat(20)}`
const place = { logIndex: '0x7', address: who }
const hash = id('')
const decoder = createDecoder(events, { skipsOthers: false })
const where = { block: 9, transaction: id('transaction') }
const decode = (log: RpcLog) => decoder(log, where)
const coder = AbiCoder.defaultAbiCoder()

describe('createDecoder', () => {
  it('decodes text that is not UTF-8 with replacement characters', () => {
    const data = coder.encode(['bytes', 'bytes32'], ['0x61ff62', hash])
    expect(decode({ ...place, topics: [topic('Named'), zeroPadValue(who, 32)], data })).toEqual({
      message: 'Named',
      fields: { who: getBytes(who), name: 'a\u{fffd}b', hash: getBytes(hash) },
    })
  })

  it('distinguishes events that differ only in the number of indexed parameters', () => {
    const [from, value] = [zeroPadValue(who, 32), zeroPadValue('0x05', 32)]
    const two = decode({ ...place, topics: [topic('Transfer'), from], data: value })
    const three = decode({ ...place, topics: [topic('Transfer2'), from, value], data: '0x' })
    expect([two?.message, three?.message]).toEqual(['Transfer', 'Transfer2'])
    expect(two?.fields).toEqual(three?.fields)
    expect(decode({ ...place, topics: [topic('Transfer')], data: '0x' })).toBeUndefined()
  })

  it('ignores logs of other events and logs without a topic', () => {
    expect(decode({ ...place, topics: [id('Other()')], data: '0x' })).toBeUndefined()
    expect(decode({ ...place, topics: [], data: '0x' })).toBeUndefined()
  })

  it('accepts data whose last word is incomplete', () => {
    const data = coder.encode(['bytes'], ['0x1234']).slice(0, -60)
    expect(decode({ ...place, topics: [topic('Raw')], data })?.fields).toEqual({ raw: getBytes('0x1234') })
  })

  it.each([
    ['0x', 'no data'],
    [zeroPadValue('0x20', 32), 'half of it'],
    [`${coder.encode(['uint256', 'uint256'], [32, 2n ** 255n])}`, 'a length that cannot be'],
  ])('refuses %s: %s', (data) => {
    const log = { ...place, topics: [topic('Raw')], data }
    expect(() => decode(log)).toThrow(
      expect.objectContaining({
        code: 'undecodable_log',
        message: expect.stringContaining(
          `Log 7 of ${who}, in transaction ${where.transaction} of block 9, does not match the declaration of Raw`,
        ),
      }),
    )
    expect(createDecoder(events, { skipsOthers: true })(log, where)).toBeUndefined()
  })
})
