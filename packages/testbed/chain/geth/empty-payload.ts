import { headerHash } from '../../../evm/src/verify/verify-roots.ts'
import { quantity } from '../json-rpc.ts'
import type { ExecutionPayload } from './engine-api.ts'

/** The fields of the parent that determine an empty block, as `eth_getBlockByHash` returns them. */
export interface Parent {
  readonly hash: string
  readonly number: string
  readonly timestamp: string
  readonly stateRoot: string
  readonly gasLimit: string
  readonly gasUsed: string
  readonly baseFeePerGas: string
  readonly blobGasUsed: string
  readonly excessBlobGas: string
}

const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const noUncles = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'
/** SHA-256 of an empty list (EIP-7685). */
const noRequests = '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
/** Fields of the header that no payload has. */
const emptyFields = {
  sha3Uncles: noUncles,
  transactionsRoot: emptyRoot,
  withdrawalsRoot: emptyRoot,
  difficulty: '0x0',
  nonce: '0x0000000000000000',
  parentBeaconBlockRoot: `0x${'00'.repeat(32)}`,
  requestsHash: noRequests,
}
const targetBlobGas = 6n * 131_072n

/** A block without transactions on any parent, which geth, that builds only on its head, cannot make. */
export function emptyPayload(parent: Parent, prevRandao: string): ExecutionPayload {
  const excess = BigInt(parent.excessBlobGas) + BigInt(parent.blobGasUsed) - targetBlobGas
  const payload = {
    parentHash: parent.hash,
    feeRecipient: `0x${'fe'.repeat(20)}`,
    stateRoot: parent.stateRoot,
    receiptsRoot: emptyRoot,
    logsBloom: `0x${'00'.repeat(256)}`,
    prevRandao,
    blockNumber: quantity(BigInt(parent.number) + 1n),
    gasLimit: parent.gasLimit,
    gasUsed: '0x0',
    timestamp: quantity(BigInt(parent.timestamp) + 12n),
    extraData: '0x',
    baseFeePerGas: quantity(baseFeeAfter(parent)),
    transactions: [],
    withdrawals: [],
    blobGasUsed: '0x0',
    excessBlobGas: quantity(excess > 0n ? excess : 0n),
  }
  const renamed = { number: payload.blockNumber, miner: payload.feeRecipient, mixHash: prevRandao }
  return { ...payload, blockHash: headerHash({ ...payload, ...renamed, ...emptyFields, hash: '' }) }
}

/** EIP-1559. */
function baseFeeAfter({ baseFeePerGas, gasUsed, gasLimit }: Parent): bigint {
  const [fee, used, target] = [BigInt(baseFeePerGas), BigInt(gasUsed), BigInt(gasLimit) / 2n]
  if (used === target) return fee
  if (used < target) return fee - (fee * (target - used)) / target / 8n
  const rise = (fee * (used - target)) / target / 8n
  return fee + (rise > 1n ? rise : 1n)
}
