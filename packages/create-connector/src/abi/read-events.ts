import { EventFragment } from 'ethers'
import { invalidAbi } from './invalid-abi.ts'

/**
 * The events of an ABI, in order, each once: the ABI of a contract that is made of several names some of them again.
 *
 * @throws {UserError} `invalid_abi`: there is none, or one that cannot be read.
 */
export function readEvents(entries: readonly unknown[], source: string): EventFragment[] {
  const events = new Map<string, EventFragment>()
  for (const [index, entry] of entries.entries()) {
    if (!isEntry(entry)) throw invalidAbi(source, `its entry ${index} is ${JSON.stringify(entry)}`)
    if (!isEvent(entry)) continue
    const event = readEvent(entry, index, source)
    const same = events.get(placeOf(event))
    if (same && !haveSameLayout(same, event))
      throw invalidAbi(source, `${same.format('full')} and ${event.format('full')} look alike in a log`)
    if (!same) events.set(placeOf(event), event)
  }
  if (events.size === 0) throw invalidAbi(source, `it has ${entries.length} entries, and none of them is an event`)
  return [...events.values()]
}

type Entry = string | { readonly type?: unknown; readonly name?: unknown }

/** An ABI may also be written as people do: `event Transfer(address indexed from, …)`. */
function isEntry(entry: unknown): entry is Entry {
  return typeof entry === 'string' || (typeof entry === 'object' && entry !== null && !Array.isArray(entry))
}

function isEvent(entry: Entry): boolean {
  return typeof entry === 'string' ? entry.trimStart().startsWith('event ') : entry.type === 'event'
}

function readEvent(entry: Entry, index: number, source: string): EventFragment {
  try {
    return EventFragment.from(entry)
  } catch (error) {
    const name = typeof entry === 'string' ? entry : entry.name
    const { shortMessage, message } = error as Error & { shortMessage?: string }
    throw invalidAbi(
      source,
      `its entry ${index}, the event ${JSON.stringify(name)}, cannot be read: ${shortMessage ?? message}`,
    )
  }
}

/** What tells events apart in a log. An anonymous one has no hash there. */
function placeOf({ anonymous, topicHash, inputs }: EventFragment): string {
  return `${anonymous} ${topicHash} ${inputs.filter(({ indexed }) => indexed).length}`
}

function haveSameLayout(left: EventFragment, right: EventFragment): boolean {
  return left.inputs.every(({ indexed }, index) => indexed === right.inputs[index]?.indexed)
}
