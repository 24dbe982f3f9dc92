import { decodeCursor, type PartitionPlace } from '@headrace/catalog'

/** Whether everything before the head is before the cursor. A topic without a cursor has reached only an empty head. */
export function hasReachedHead(cursor: string | undefined, headCursor: string): boolean {
  const heads = placesOf(headCursor)
  if (cursor === undefined) return heads.every(({ offset, seq }) => offset === 0n || seq === 0)
  const places = placesOf(cursor)
  return heads.every((head, partition) => {
    const place = places[partition]
    return place !== undefined && (place.offset >= head.offset || (head.seq !== null && (place.seq ?? -1) >= head.seq))
  })
}

function placesOf(cursor: string): readonly PartitionPlace[] {
  return decodeCursor(cursor).topics[0]!.partitions
}
