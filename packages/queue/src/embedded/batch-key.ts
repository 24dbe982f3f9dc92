/**
 * The key of a batch's row: the id of its partition in the upper 20 bits, its base offset in the lower 43. A bigint,
 * because SQLite is given any other number as a floating-point one.
 */
export function batchKey(partitionId: number, offset: number): bigint {
  return (BigInt(partitionId) << offsetBits) | BigInt(offset)
}

/** The key after all those of a partition. */
export function keyAfterPartition(partitionId: number): bigint {
  return batchKey(partitionId + 1, 0)
}

/** Takes the base offset out of a key, in SQL. */
export const offsetMask: bigint = (1n << 43n) - 1n

const offsetBits = 43n
