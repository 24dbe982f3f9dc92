import { didYouMean } from '@headrace/catalog'
import { UserError } from '@headrace/queue'
import type { EventFragment } from 'ethers'
import type { Abi } from './abi.ts'
import { publishedNames, signatureOf } from './event-names.ts'

/**
 * The events that were asked for by name or by signature, in the order of the ABI. A name stands for all events that have
 * it.
 *
 * @param asked - Left out or empty: all that can be published.
 * @throws {UserError} `unknown_event`, `anonymous_event`
 */
export function chooseEvents(abi: Abi, asked: readonly string[] = []): readonly EventFragment[] {
  const wanted = splitNames(asked.join(','))
  const chosen = wanted.length === 0 ? abi.events.filter(({ anonymous }) => !anonymous) : find(abi, wanted)
  if (chosen.length === 0) throw anonymousEvent(abi, abi.events[0]!.name)
  return chosen
}

function find(abi: Abi, wanted: readonly string[]): readonly EventFragment[] {
  for (const name of wanted) {
    const found = abi.events.filter((event) => isCalled(event, name))
    if (found.length === 0) throw unknownEvent(abi, name)
    if (found.every(({ anonymous }) => anonymous)) throw anonymousEvent(abi, name)
  }
  return abi.events.filter((event) => !event.anonymous && wanted.some((name) => isCalled(event, name)))
}

/** A comma inside a signature separates its types. */
function splitNames(text: string): string[] {
  const names = ['']
  let depth = 0
  for (const character of text.replaceAll(/\s/g, '')) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (character === ',' && depth === 0) names.push('')
    else names.push(names.pop()! + character)
  }
  return names.filter((name) => name !== '')
}

function isCalled(event: EventFragment, name: string): boolean {
  return name === event.name || name === signatureOf(event)
}

function unknownEvent(abi: Abi, name: string): UserError {
  const known = publishedNames(abi)
  return new UserError(
    'unknown_event',
    `${abi.source} has no event "${name}".${didYouMean(name, new Set([...known, ...abi.events.map((event) => event.name)]))} --events takes ${known.join(', ')}.`,
  )
}

function anonymousEvent(abi: Abi, name: string): UserError {
  const known = publishedNames(abi)
  const others = known.length === 0 ? 'The ABI has no other one' : `--events takes ${known.join(', ')}`
  return new UserError(
    'anonymous_event',
    `The event "${name}" of ${abi.source} is anonymous: nothing in a log says that it is this event. ${others}.`,
  )
}
