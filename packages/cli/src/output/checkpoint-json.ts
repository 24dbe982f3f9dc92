import type { Checkpoint } from '@headrace/catalog'

/** A checkpoint as JSON. As over REST, numbers of units and records are text, and times are RFC 3339. */
export function checkpointJson({ unit, previous, nextSeq, final, time, ...position }: Checkpoint): object {
  return {
    ...position,
    unit: `${unit}`,
    previous: previous === null ? null : `${previous}`,
    nextSeq: mapLists(nextSeq, String),
    final: final && { unit: `${final.unit}`, nextSeq: mapLists(final.nextSeq, String) },
    // 0: nothing has been published to the partition.
    time: mapLists(time, (ms) => (ms > 0 ? new Date(ms).toISOString() : null)),
  }
}

function mapLists<T>(lists: Readonly<Record<string, readonly number[]>>, map: (number: number) => T): object {
  return Object.fromEntries(Object.entries(lists).map(([topic, list]) => [topic, list.map(map)]))
}
