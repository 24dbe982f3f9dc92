import { AbiCoder, dataSlice, type EventFragment, id, type ParamType, toQuantity } from 'ethers'
import { isHashed } from './event-message.ts'

const chainId = 7357
const [blockCount, transactionCount] = [24, 24]
/** Number of blocks after the final one: tests reorganise them. */
const notFinal = 8
const [genesisTime, secondsPerBlock] = [1_700_000_000, 12]
const [leastLogs, leastOfEach] = [40, 3]
/** Another contract emits the same event after this number of logs. */
const foreignEvery = 6

interface MadeUpLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}

/** For `@headrace/evm/recorded`, with each event several times. Block hashes are not those of the contents. */
export function makeRecording(events: readonly EventFragment[], address: string = madeUpAddress('contract')): string {
  const logs = makeLogs(events, address.toLowerCase())
  const logsOf = (transaction: number): readonly MadeUpLog[] =>
    logs.slice((transaction * logs.length) / transactionCount, ((transaction + 1) * logs.length) / transactionCount)
  let made = 0
  const blocks = Array.from({ length: blockCount }, (_, index) =>
    makeBlock(
      index + 1,
      Array.from({ length: index % 3 }, () => logsOf(made++)),
    ),
  )
  const lines = blocks.map((block) => `    ${JSON.stringify(block)}`)
  const head = `{\n  "chainId": ${chainId},\n  "finalized": ${blockCount - notFinal},\n  "blocks": [\n`
  return `${head}${lines.join(',\n')}\n  ]\n}\n`
}

function makeLogs(events: readonly EventFragment[], address: string): MadeUpLog[] {
  const ofEach = Math.max(leastOfEach, Math.ceil(leastLogs / events.length))
  return Array.from({ length: ofEach * events.length }).flatMap((_, index) => {
    const log = encode(events[index % events.length]!, `${index}`)
    const foreign = { address: madeUpAddress('other contract'), ...log }
    return [{ address, ...log }, ...(index % foreignEvery === 0 ? [foreign] : [])]
  })
}

function encode({ topicHash, inputs }: EventFragment, label: string): Omit<MadeUpLog, 'address'> {
  const values = inputs.map((param, index) => madeUpValue(param, `${label} ${index}`))
  const topics = inputs.flatMap((param, index) => (param.indexed ? [encodeTopic(param, values[index])] : []))
  const isInData = (_: unknown, index: number) => !inputs[index]!.indexed
  return { topics: [topicHash, ...topics], data: coder.encode(inputs.filter(isInData), values.filter(isInData)) }
}

/** A log contains only the hash of a long value. Here any hash will do. */
function encodeTopic(param: ParamType, value: unknown): string {
  return isHashed(param) ? id(JSON.stringify(value, (_, each) => String(each))) : coder.encode([param], [value])
}

const coder = AbiCoder.defaultAbiCoder()

function makeBlock(number: number, logs: readonly (readonly MadeUpLog[])[]): object {
  const place = { blockNumber: toQuantity(number), blockHash: blockHash(number) }
  const gas = 60_000
  const transactions = logs.map((ofOne, index) => ({
    ...place,
    transactionIndex: toQuantity(index),
    hash: id(`transaction ${number} ${index}`),
    ...{ type: '0x2', chainId: toQuantity(chainId), nonce: toQuantity(number), from: madeUpAddress(`sender ${index}`) },
    ...{ to: ofOne[0]!.address, value: '0x0', gas: toQuantity(gas), gasPrice: '0x3b9aca00', input: '0x' },
  }))
  return {
    block: {
      ...{ number: place.blockNumber, hash: place.blockHash, parentHash: blockHash(number - 1) },
      timestamp: toQuantity(genesisTime + number * secondsPerBlock),
      ...{ gasLimit: toQuantity(30_000_000), gasUsed: toQuantity(gas * logs.length), baseFeePerGas: '0x3b9aca00' },
      transactions,
    },
    receipts: transactions.map(({ hash, transactionIndex, from, to }, index) => ({
      ...{ ...place, transactionHash: hash, transactionIndex, from, to, type: '0x2', status: '0x1' },
      ...{ gasUsed: toQuantity(gas), cumulativeGasUsed: toQuantity(gas * (index + 1)) },
      logs: logs[index]!.map((log, inTransaction) => {
        const logIndex = toQuantity(logs.slice(0, index).flat().length + inTransaction)
        return { ...log, ...place, transactionHash: hash, transactionIndex, logIndex }
      }),
    })),
  }
}

function blockHash(number: number): string {
  return id(`block ${number}`)
}

function madeUpValue(param: ParamType, label: string): unknown {
  if (param.isArray()) {
    const length = param.arrayLength === -1 ? 1 + Number(dice(label, 3n)) : param.arrayLength!
    return Array.from({ length }, (_, index) => madeUpValue(param.arrayChildren, `${label}[${index}]`))
  }
  if (param.isTuple()) return param.components.map((each, index) => madeUpValue(each, `${label}.${index}`))
  const [, kind, size] = /^([a-z]+)(\d*)$/.exec(param.type)!
  switch (kind) {
    case 'address':
      return madeUpAddress(`account ${dice(label, accounts)}`)
    case 'bool':
      return dice(label, 2n) === 1n
    case 'string':
      return words[Number(dice(label, BigInt(words.length)))]
    case 'bytes':
      return dataSlice(id(label), 0, size === '' ? Number(dice(label, 32n)) : Number(size))
    default:
      return integer(label, Number(size), kind === 'int')
  }
}

function madeUpAddress(label: string): string {
  return dataSlice(id(label), 12)
}

const accounts = 6n
const words = ['first', 'second', 'something longer than what one word of a log holds', '', 'größer']

/** Small types get small numbers, as enumerations have, and large ones amounts with 18 decimals. */
function integer(label: string, bits: number, isSigned: boolean): bigint {
  const magnitude = bits === 8 ? 4n : bits <= 64 ? 2n ** BigInt(bits - 1) : 10n ** 22n
  const value = dice(label, magnitude < 2n ** BigInt(bits - 1) ? magnitude : 2n ** BigInt(bits - 1))
  return isSigned && dice(`${label} sign`, 2n) === 1n ? -value : value
}

function dice(label: string, sides: bigint): bigint {
  return BigInt(id(label)) % sides
}
