import type { KeyChange, KeyOptions, Quota } from '@headrace/server'
import { type Command, InvalidArgumentError } from 'commander'
import { futureOption, integerOption, none, noneOption } from './parse-option.ts'

export interface ChosenKeyOptions extends Omit<KeyOptions, 'origins'> {
  readonly origin?: readonly string[]
}

/** Adds the options that a new key and a changed one have in common. A change may also remove a limit. */
export function addKeyOptions(command: Command, of: 'new' | 'changed'): Command {
  const isNew = of === 'new'
  const orNone = isNew ? <Value>(_: string, parse: (text: string) => Value) => parse : noneOption
  const absent = (word: string, meaning = word) => (isNew ? ` (default: ${meaning})` : `, or "${word}"`)
  return command
    .option(
      '--topics <patterns...>',
      'topics that the key may read; * matches any characters',
      ...(isNew ? [['*']] : []),
    )
    .option(
      '--origin <urls...>',
      `origins of web pages that may use the key, e.g. https://example.com or http://localhost:PORT${absent('any')}`,
    )
    .option(
      '--rate <count>',
      `requests per second${absent('default', 'that of the gateway')}`,
      orNone('default', integerOption(1)),
    )
    .option(
      '--burst <count>',
      `maximum number of requests in a burst${absent('default', 'that of the gateway')}`,
      orNone('default', integerOption(1)),
    )
    .option(
      '--connections <count>',
      `maximum number of WebSocket and SSE connections at a time${isNew ? ' (default: 100)' : ''}`,
      integerOption(1),
    )
    .option(
      '--quota <name=count...>',
      `requests, records and bytes of a calendar month, e.g. records=5000000${absent('none')}`,
      orNone('none', quotaOption) as typeof quotaOption,
    )
    .option(
      '--contact <text>',
      `whom to ask about the key${absent('none')}`,
      orNone('none', (text: string) => text),
    )
    .option('--require-origin', 'refuse requests without an Origin header')
    .option(
      '--expires <time>',
      `when the key expires: an RFC 3339 time, or a period from now, e.g. 90d${absent('never')}`,
      orNone('never', futureOption),
    )
}

function quotaOption(text: string, previous?: Quota): Quota {
  const [, name, count] = /^(requests|records|bytes)=(\d{1,16})$/.exec(text) ?? []
  if (name === undefined)
    throw new InvalidArgumentError(
      'It must be requests=COUNT, records=COUNT or bytes=COUNT, such as "records=5000000".',
    )
  return { ...previous, [name]: Number(count) }
}

type Members = Omit<ChosenKeyOptions, 'origin'>

export type KeyChangeOptions = { readonly [Name in keyof Members]: Members[Name] | typeof none } & Pick<
  ChosenKeyOptions,
  'origin'
>

/** What the options of a command line change. `--origin any` removes the origins. */
export function keyChangeOf(options: KeyChangeOptions): KeyChange {
  const { origin, name, topics, requireOrigin, rate, burst, connections, quota, contact, expires } = options
  const isAny = origin?.length === 1 && origin[0] === 'any'
  const origins = isAny ? [] : origin
  const change = { name, topics, origins, requireOrigin, rate, burst, connections, quota, contact, expires }
  const given = Object.entries(change).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, value === none ? null : value]))
}
