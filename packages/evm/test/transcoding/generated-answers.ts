import fc from 'fast-check'

/** A block and its receipts, of which an absent member is `undefined`. */
export interface GeneratedAnswers {
  readonly number: number
  readonly block: object
  readonly receipts: readonly object[]
}

type Text = fc.Arbitrary<unknown>
type Shape = Readonly<Record<string, Text>>

const hash = fc.constantFrom('a', 'b', '0', '9').map((digit) => `0x${digit.repeat(64)}`)

/** One in a thousand, so that most answers with some hundred members are valid. */
const malformed = fc.constantFrom(7, true, {}, [], '', '0', 'x1', '0X1', '0xg', '0x1g', `0x${'g'.repeat(40)}`, '0x1 ')
const orMalformed = (text: Text): Text =>
  fc.oneof({ weight: 1000, arbitrary: text }, { weight: 1, arbitrary: malformed })
const orAbsent = (text: Text): Text =>
  orMalformed(fc.oneof({ weight: 8, arbitrary: text }, { weight: 1, arbitrary: fc.constantFrom(null, undefined) }))

const mixedCase = (text: string, upper: number) =>
  upper === 0
    ? text
    : `0x${upper === 1 ? text.slice(2).toUpperCase() : text.slice(2).replace(/[a-f]/, (d) => d.toUpperCase())}`

/** With leading zeros and digits of both cases. */
function quantity(bits: number): fc.Arbitrary<string> {
  const value = fc
    .integer({ min: 0, max: bits })
    .chain((width) => fc.bigInt({ min: 0n, max: 2n ** BigInt(width) - 1n }))
  const padded = fc.tuple(value, fc.constantFrom(0, 0, 0, 1, 2, 16, 17, 64), fc.nat(4))
  const written = padded.map(([value, zeros, upper]) => mixedCase(`0x${'0'.repeat(zeros)}${value.toString(16)}`, upper))
  return fc.oneof({ weight: 20, arbitrary: written }, { weight: 1, arbitrary: fc.constant('0x') })
}

function bytes(...lengths: readonly number[]): fc.Arbitrary<string> {
  const length = lengths.length === 0 ? fc.nat(70) : fc.constantFrom(...lengths)
  return fc
    .tuple(length, fc.nat(255), fc.nat(4))
    .map(([length, first, upper]) =>
      mixedCase(`0x${Buffer.from(Uint8Array.from({ length }, (_, index) => first + index)).toString('hex')}`, upper),
    )
}

const members = (of: Text, ...names: readonly string[]): Shape =>
  Object.fromEntries(names.map((name) => [name, orAbsent(of)]))

const data = fc.oneof({ weight: 6, arbitrary: bytes() }, { weight: 1, arbitrary: bytes(0, 1, 127, 128, 300, 70_000) })
const fees = ['gasPrice', 'maxFeePerGas', 'maxPriorityFeePerGas', 'maxFeePerBlobGas']
const list = (of: Text) => fc.array(of, { maxLength: 3 })

const accessListEntry = fc.record({ address: bytes(20, 0, 1), storageKeys: list(orMalformed(bytes(32, 0, 1))) })
const authorization = fc.record({
  ...members(quantity(256), 'chainId', 'nonce', 'r', 's'),
  ...members(quantity(8), 'yParity', 'v'),
  address: orAbsent(bytes(20)),
})

const transaction = fc.record({
  hash: orMalformed(hash),
  type: orAbsent(fc.oneof(fc.constantFrom('0x0', '0x1', '0x2', '0x3', '0x4', '0x02', '0x7e'), quantity(32))),
  ...members(quantity(256), ...fees, 'chainId', 'value', 'v', 'r', 's', 'nonce', 'gas'),
  ...members(quantity(70), 'yParity'),
  ...members(bytes(20), 'from', 'to'),
  input: orAbsent(data),
  accessList: orAbsent(list(orMalformed(accessListEntry))),
  blobVersionedHashes: orAbsent(list(orMalformed(bytes(32)))),
  authorizationList: orAbsent(list(orMalformed(authorization))),
  ...members(quantity(64), 'blockNumber', 'blockTimestamp'),
})

const lastSecond = 253402300799
const block = fc.record({
  hash: orMalformed(hash),
  parentHash: orMalformed(hash),
  timestamp: orMalformed(fc.oneof(fc.nat(), fc.constantFrom(0, 127, 128, lastSecond, lastSecond + 1)).map(toHex)),
  ...members(quantity(256), 'difficulty', 'baseFeePerGas'),
  ...members(quantity(70), 'gasLimit', 'gasUsed', 'nonce', 'size', 'blobGasUsed', 'excessBlobGas'),
  ...members(bytes(32), 'sha3Uncles', 'stateRoot', 'transactionsRoot', 'receiptsRoot', 'mixHash'),
  ...members(bytes(32, 0), 'withdrawalsRoot', 'parentBeaconBlockRoot', 'requestsHash'),
  ...members(data, 'extraData', 'logsBloom'),
  miner: orAbsent(bytes(20)),
})

const log = fc.record({
  address: orMalformed(bytes(20)),
  topics: orMalformed(list(orMalformed(hash))),
  data: orMalformed(data),
  removed: fc.constantFrom(true, false, undefined),
})

const receipt = fc.record({
  ...members(bytes(20), 'from', 'to', 'contractAddress'),
  ...members(quantity(32), 'type', 'status'),
  ...members(quantity(70), 'gasUsed', 'cumulativeGasUsed', 'blobGasUsed'),
  ...members(quantity(256), 'effectiveGasPrice', 'blobGasPrice'),
  ...members(data, 'logsBloom'),
  ...members(bytes(32), 'root'),
  logs: orMalformed(fc.array(log, { maxLength: 3 })),
})

/** The members of a block agree, unless one is malformed. */
export const generatedAnswers: fc.Arbitrary<GeneratedAnswers> = fc
  .record({
    number: fc.oneof(fc.nat(300), fc.maxSafeNat()),
    block,
    units: fc.array(fc.record({ transaction, receipt }), { maxLength: 3 }),
  })
  .map(({ number, block, units }) => {
    let logs = 0
    const place = (index: number) => ({ blockHash: block.hash, transactionIndex: toHex(index) })
    const transactions = units.map(({ transaction }, index) => ({ ...transaction, ...place(index) }))
    const receipts = units.map(({ transaction, receipt }, index) => ({
      ...{ ...receipt, ...place(index), transactionHash: transaction.hash },
      logs: Array.isArray(receipt.logs)
        ? receipt.logs.map((each) => ({ ...(each as object), logIndex: toHex(logs++) }))
        : receipt.logs,
    }))
    return { number, block: { ...block, number: toHex(number), transactions }, receipts }
  })

function toHex(value: number): string {
  return `0x${value.toString(16)}`
}
