import type { EventFragment } from 'ethers'
import type { Abi } from './abi.ts'
import { readAbi } from './read-abi.ts'

/**
 * Names of the events of an ABI that can be published, in its order. Where several have one name, their signatures.
 *
 * @param file - Left out: the ABI of an ERC-20 token.
 * @throws {UserError} `invalid_abi`
 */
export async function eventNames(file?: string): Promise<readonly string[]> {
  return publishedNames(await readAbi(file))
}

/** An anonymous event leaves nothing in a log that tells of it. */
export function publishedNames({ events }: Pick<Abi, 'events'>): string[] {
  const published = events.filter(({ anonymous }) => !anonymous)
  return [...new Set(published.map((event) => (isOverloaded(event, published) ? signatureOf(event) : event.name)))]
}

/** `Transfer(address,address,uint256)`: the same for events that differ in nothing but what is indexed. */
export function signatureOf(event: EventFragment): string {
  return event.format('sighash')
}

function isOverloaded({ name }: EventFragment, events: readonly EventFragment[]): boolean {
  return events.filter((event) => event.name === name).length > 1
}
