/**
 * The key of a batch's row: the id of its partition in the upper 20 bits, its base offset in the lower 43. A bigint,
 * because SQLite is given any other number as a floating-point one.
 */
export function batchKey(partitionId: number, offset: number): bigint {
  return (BigInt(partitionId) << offsetBits) | BigInt(offset)
}

/** The key of the row that ends a partition: after all its batches. */
export function endKey(partitionId: number): bigint {
  return (BigInt(partitionId) << offsetBits) | offsetMask
}

const offsetBits = 43n

/** The highest id of a partition that a key can hold. */
export const highestPartitionId: number = 2 ** 20 - 1

/** Takes the base offset out of a key, in SQL. */
export const offsetMask: bigint = (1n << offsetBits) - 1n
