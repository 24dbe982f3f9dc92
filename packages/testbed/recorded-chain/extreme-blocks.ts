import type { RecordedBlock } from './recording.ts'

/**
 * The recorded blocks, and copies of the first ones with amounts, fees and signatures around 2^64 and up to 2^256 − 1,
 * for which no sender on a real node has the balance.
 */
export function withExtremes(recorded: readonly RecordedBlock[]): readonly RecordedBlock[] {
  const extremes = recorded.slice(0, extremeBlocks).map(({ block, receipts }, number) => ({
    block: {
      ...withLargest(block, ['difficulty', 'baseFeePerGas'], number),
      transactions: block.transactions.map((transaction, index) => {
        const { authorizationList } = transaction
        return {
          ...withLargest(transaction, wideFields, index),
          ...(authorizationList && {
            authorizationList: authorizationList.map((each) => withLargest(each, ['r', 's', 'chainId'], index)),
          }),
        }
      }),
    },
    receipts: receipts.map((receipt, index) => withLargest(receipt, ['effectiveGasPrice', 'blobGasPrice'], index)),
  }))
  return [...recorded, ...extremes]
}

/** The first blocks with transactions of every type. */
const extremeBlocks = 8

/** Fields of a transaction that are wider than 64 bits. */
const wideFields = [
  ...['gasPrice', 'value', 'v', 'r', 's', 'chainId'],
  ...['maxFeePerGas', 'maxPriorityFeePerGas', 'maxFeePerBlobGas'],
]

const extremes = [2n ** 256n - 1n, 2n ** 64n, 2n ** 64n - 1n, 2n ** 255n]

/** Replaces those of the fields that the object has. */
function withLargest<T extends object>(object: T, fields: readonly string[], choice: number): T {
  const value = `0x${extremes[choice % extremes.length]!.toString(16)}`
  const present = fields.filter((field) => typeof object[field as keyof T] === 'string')
  return { ...object, ...Object.fromEntries(present.map((field) => [field, value])) }
}
