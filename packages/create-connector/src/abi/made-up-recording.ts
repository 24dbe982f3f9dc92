import { AbiCoder, type EventFragment, id, type ParamType, toQuantity } from 'ethers'
import { isHashed } from './event-message.ts'
import { madeUpAddress, madeUpValue } from './made-up-value.ts'

const chainId = 7357
const [blockCount, transactionCount] = [24, 24]
/** Blocks on top of the final one: tests reorganise them. */
const notFinal = 8
const [genesisTime, secondsPerBlock] = [1_700_000_000, 12]
const [leastLogs, leastOfEach] = [40, 3]
/** After as many logs another contract has logged the same event. */
const foreignEvery = 6

interface MadeUpLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}

/**
 * Makes a recording of a chain, as `@headrace/evm/recorded` serves it, in which a contract has logged each of its events
 * many times. It is made up: no chain has these blocks, and their hashes are of nothing.
 *
 * @param address - Of the contract. Left out: a made-up one.
 */
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

/** The log holds a hash of what is long. It need not be that of the value, which nobody can know. */
function encodeTopic(param: ParamType, value: unknown): string {
  return isHashed(param) ? id(JSON.stringify(value, (_, each) => String(each))) : coder.encode([param], [value])
}

const coder = AbiCoder.defaultAbiCoder()

/** Of each transaction its logs are given. */
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
