import { EventFragment } from 'ethers'
import { describe, expect, it } from 'vitest'
import { type EventField, toMessages } from './event-message.ts'

const messagesOf = (...declarations: string[]) => toMessages(declarations.map((text) => EventFragment.from(text)))
const namesOf = (fields: readonly EventField[] = []) => fields.map(({ name }) => name)
const fieldsOf = (params: string) => namesOf(messagesOf(`event A(${params})`)[0]?.fields)

describe('the fields of a message', () => {
  it.each<[why: string, params: string, names: string[]]>([
    ['have the names of the parameters', 'address indexed from, address to_b', ['from', 'to_b']],
    [
      'have no underscores and no dollars at their ends',
      'uint8 _a, uint8 b_, uint8 $c, uint8 d$e',
      ['a', 'b', 'c', 'd_e'],
    ],
    ['are named by their position if the parameter has no name', 'uint8, uint8 b, uint8 _', ['arg0', 'b', 'arg2']],
    ['are numbered if two would have the same name', 'uint8 a, uint8 _a, uint8 A', ['a', 'a2', 'A3']],
    [
      'are numbered if names differ only in case and underscores',
      'uint8 tokenId, uint8 token_id',
      ['tokenId', 'token_id2'],
    ],
    [
      'do not have the names of the fields for the position of the log',
      'uint8 ts, uint8 Address, uint8 blockNumber',
      ['ts2', 'Address2', 'blockNumber2'],
    ],
    [
      'can be written in a declaration',
      'uint8 _indexed, uint8 event_, uint8 uint8_',
      ['indexedValue', 'eventValue', 'uint8Value'],
    ],
  ])('%s', (_, params, names) => {
    expect(fieldsOf(params)).toEqual(names)
  })

  it('of a tuple are unique within the tuple', () => {
    const [message] = messagesOf('event A(tuple(uint8 ts, tuple(uint8 _x, uint8 x)[] inner)[2][] list)')
    const [list] = message!.fields
    expect(namesOf(list?.components)).toEqual(['ts', 'inner'])
    expect(namesOf(list?.components[1]?.components)).toEqual(['x', 'x2'])
  })
})

describe('messages and topics', () => {
  it.each<[events: string[], messages: string[], topics: string[]]>([
    [
      ['Transfer', 'Approval'],
      ['Transfer', 'Approval'],
      ['Transfer', 'Approval'],
    ],
    [
      ['Transfer', 'Transfer', 'Transfer'],
      ['Transfer', 'Transfer2', 'Transfer3'],
      ['Transfer', 'Transfer2', 'Transfer3'],
    ],
    [
      ['transfer', 'Transfer'],
      ['Transfer', 'Transfer2'],
      ['transfer', 'Transfer'],
    ],
    [
      ['new_owner', '_LOG_', '$x'],
      ['NewOwner', 'LOG', 'X'],
      ['new_owner', '_LOG', 'x'],
    ],
    [
      ['Config', 'Messages', 'Number'],
      ['ConfigEvent', 'MessagesEvent', 'NumberEvent'],
      ['Config', 'Messages', 'Number'],
    ],
    [
      ['_', '_1'],
      ['Event', 'Event1'],
      ['Event', '_1'],
    ],
  ])('of the events %j are %j and %j', (events, messages, topics) => {
    const made = messagesOf(...events.map((name, index) => `event ${name}(bytes${index + 1} x)`))
    expect(made.map(({ message }) => message)).toEqual(messages)
    expect(made.map(({ topicEvent }) => topicEvent)).toEqual(topics)
  })
})
