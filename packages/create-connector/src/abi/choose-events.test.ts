import { EventFragment } from 'ethers'
import { describe, expect, it } from 'vitest'
import { chooseEvents, publishedNames } from './choose-events.ts'

const hidden = EventFragment.from({ type: 'event', name: 'Hidden', anonymous: true, inputs: [] })
const declared = [
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Deposit(uint256 amount)',
  'event Transfer(tuple(address who, uint256 id) what, bytes data)',
  'event Approval(address owner)',
]
const abi = {
  source: 'Token.json',
  contractName: undefined,
  entries: [],
  events: [...declared.map((text) => EventFragment.from(text)), hidden],
}
const [transfer, deposit, other, approval] = declared.map((text) => EventFragment.from(text).format('sighash'))

describe('chooseEvents', () => {
  it.each<[asked: string[] | undefined, chosen: (string | undefined)[]]>([
    [undefined, [transfer, deposit, other, approval]],
    [[], [transfer, deposit, other, approval]],
    [['Deposit'], [deposit]],
    [['Approval,Deposit'], [deposit, approval]],
    [
      ['Approval', ' Deposit '],
      [deposit, approval],
    ],
    [['Transfer'], [transfer, other]],
    [['Transfer(address,address,uint256)'], [transfer]],
    [['Deposit,Transfer((address,uint256),bytes),Approval'], [deposit, other, approval]],
    [
      ['Transfer((address, uint256)', 'bytes)', 'Deposit'],
      [deposit, other],
    ],
    [['Deposit,Deposit'], [deposit]],
  ])('chooses for %j', (asked, chosen) => {
    expect(chooseEvents(abi, asked?.join(',')).map((event) => event.format('sighash'))).toEqual(chosen)
  })

  it('names the events that exist, and a similar one', () => {
    const choose = () => chooseEvents(abi, 'Deposit,Tranfser')
    expect(choose).toThrow(
      `Token.json has no event "Tranfser". Did you mean "Transfer"? --events must be some of ${transfer}, Deposit, ${other}, Approval.`,
    )
    expect(choose).toThrow(expect.objectContaining({ code: 'unknown_event' }))
    expect(() => chooseEvents(abi, 'Transfer(uint256)')).toThrow(expect.objectContaining({ code: 'unknown_event' }))
  })

  it('refuses an anonymous event', () => {
    expect(() => chooseEvents(abi, 'Hidden')).toThrow(
      expect.objectContaining({ code: 'anonymous_event', message: expect.stringContaining('"Hidden" of Token.json') }),
    )
  })

  it('refuses an ABI with only anonymous events', () => {
    const choose = () => chooseEvents({ ...abi, events: [hidden] })
    expect(choose).toThrow(expect.objectContaining({ code: 'anonymous_event' }))
    expect(choose).toThrow('The ABI has no other event.')
  })
})

describe('publishedNames', () => {
  it('returns signatures for names that are not unique, and no anonymous events', () => {
    expect(publishedNames(abi)).toEqual([transfer, 'Deposit', other, 'Approval'])
  })
})
