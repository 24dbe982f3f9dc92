import type { Checkpoint } from '@headrace/catalog'

/** A checkpoint as JSON: numbers of units and records as text and times in RFC 3339, as REST has them. */
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
