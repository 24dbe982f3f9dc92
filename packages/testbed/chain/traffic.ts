import { createRandom, type Random } from '../random.ts'
import { contracts, creation } from './contracts.ts'
import { type Call, call, callAll, quantity } from './json-rpc.ts'
import { createSignedTransactions, signAuthorization } from './signed-transactions.ts'

/** Makes transactions and sends them to the node's pool. */
export interface Traffic {
  /** Sends `count` transactions and sometimes others of a rare kind. Resolves when all are in the pool. */
  send(count: number): Promise<void>
  /** Continues with the nonces after a block, and empties the pool. */
  revertTo(block: number): Promise<void>
  /** Makes `count` transactions without sending them. */
  make(count: number): Call[]
}

export interface TrafficOptions {
  /** The chain id of the node. Default 31337. */
  readonly chainId?: number
  /** The same seed gives the same transactions. Default 1. */
  readonly seed?: number
  /** Whether to send blob transactions, of which the first takes 3 s. Default false. */
  readonly blobs?: boolean
}

interface Choice {
  readonly from: string
  readonly chainId: number
  readonly random: Random
}

const reverting = contracts.reverting.address
const logging = contracts.logging.address
const gas = quantity(200_000)
const legacy = { gas, gasPrice: quantity(20_000_000_000) }
const dynamic = { gas, maxFeePerGas: quantity(20_000_000_000), maxPriorityFeePerGas: quantity(1_000_000_000) }
const unprotectedEvery = 7
const blobEvery = 20

/**
 * Traffic of every kind: legacy, access lists (EIP-2930), dynamic fees (EIP-1559), blobs (EIP-4844), delegations
 * (EIP-7702); amounts below and above 2^64 wei, contract creations, calls that log, calls that fail.
 */
export async function createTraffic(rpc: string, options: TrafficOptions): Promise<Traffic> {
  const { chainId = 31337, seed = 1, blobs = false } = options
  const random = createRandom(seed)
  const signed = createSignedTransactions(chainId)
  const accounts = await call<string[]>(rpc, 'eth_accounts')
  const senders = accounts.slice(1).map((address) => ({ address, nonce: 0 }))
  await deployContracts(rpc)
  let block = 0
  const make = (count: number) =>
    Array.from({ length: count }, (): Call => {
      const sender = random.pick(senders)
      const fields = random.pick(kinds)({ from: sender.address, chainId, random })
      const transaction = { from: sender.address, nonce: quantity(sender.nonce++), ...fields }
      return { method: 'eth_sendTransaction', params: [transaction] }
    })

  return {
    async send(count) {
      const calls = make(count)
      if (count > 0 && block % unprotectedEvery === 0) calls.push(signed.unprotected())
      const hasBlob = blobs && count > 0 && block % blobEvery === 0
      block++
      await callAll(rpc, calls)
      // The blob comes last, because transactions with equal fees are mined in the order in which they arrived.
      if (hasBlob) await callAll(rpc, [signed.blob()])
    },
    async revertTo(block) {
      await call(rpc, 'anvil_dropAllTransactions')
      const nonces = await callAll(
        rpc,
        accounts.map((account) => ({ method: 'eth_getTransactionCount', params: [account, quantity(block)] })),
      )
      const [ofSigned, ...ofSenders] = nonces.map(Number)
      signed.continueAt(ofSigned!)
      for (const [index, sender] of senders.entries()) sender.nonce = ofSenders[index]!
    },
    make,
  }
}

const kinds: readonly ((choice: Choice) => Record<string, unknown>)[] = [
  ({ random }) => ({ ...legacy, to: random.hex(20), value: quantity(random.integer(1e9)) }),
  ({ random }) => ({ ...dynamic, to: random.hex(20), value: quantity(2n ** 64n + BigInt(random.integer(1e9))) }),
  ({ random }) => ({ ...dynamic, to: random.hex(20), value: '0x1', input: random.hex(random.integer(300)) }),
  ({ random }) => ({ ...dynamic, to: logging, input: random.hex(68) }),
  ({ random, from }) => ({ ...legacy, to: logging, accessList: accessList(random, from) }),
  () => ({ ...dynamic, input: creation }),
  () => ({ ...dynamic, to: reverting, value: '0x1' }),
  ({ random, chainId }) => ({
    ...dynamic,
    to: random.hex(20),
    authorizationList: [signAuthorization(chainId, logging, random)],
  }),
]

function accessList(random: Random, from: string): readonly unknown[] {
  return [
    { address: logging, storageKeys: [random.hex(32), random.hex(32)] },
    { address: from, storageKeys: [] },
  ]
}

async function deployContracts(rpc: string): Promise<void> {
  await callAll(
    rpc,
    Object.values(contracts).map(({ address, code }) => ({ method: 'anvil_setCode', params: [address, code] })),
  )
}
