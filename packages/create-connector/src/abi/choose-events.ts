import { didYouMean } from '@headrace/catalog'
import { UserError } from '@headrace/queue'
import type { EventFragment } from 'ethers'
import { type Abi, readAbi } from './read-abi.ts'

/** In the order of the ABI. A name selects all events that have it. Names are separated by commas; default: all. */
export function chooseEvents(abi: Abi, names = ''): readonly EventFragment[] {
  const wanted = splitNames(names)
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
    `${abi.source} has no event "${name}".${didYouMean(name, new Set([...known, ...abi.events.map((event) => event.name)]))} --events must be some of ${known.join(', ')}.`,
  )
}

function anonymousEvent(abi: Abi, name: string): UserError {
  const known = publishedNames(abi)
  const others = known.length === 0 ? 'The ABI has no other event' : `--events must be some of ${known.join(', ')}`
  return new UserError(
    'anonymous_event',
    `The event "${name}" of ${abi.source} is anonymous: a log does not identify it. ${others}.`,
  )
}

export async function eventNames(file?: string): Promise<readonly string[]> {
  return publishedNames(await readAbi(file))
}

/** A log does not identify anonymous events. Events with the same name are given by signature. */
export function publishedNames({ events }: Pick<Abi, 'events'>): string[] {
  const published = events.filter(({ anonymous }) => !anonymous)
  const isOverloaded = ({ name }: EventFragment) => published.filter((event) => event.name === name).length > 1
  return [...new Set(published.map((event) => (isOverloaded(event) ? signatureOf(event) : event.name)))]
}

/** Events that differ only in indexed parameters have the same signature. */
function signatureOf(event: EventFragment): string {
  return event.format('sighash')
}
