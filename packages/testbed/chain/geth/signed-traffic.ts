import { HDNodeWallet, Mnemonic, Transaction, type TransactionLike, Wallet } from 'ethers'
import type { Random } from '../../random.ts'
import { contracts, creation } from '../contracts.ts'
import { emptyBlob, infinity, mnemonic, versionedHash } from '../signed-transactions.ts'
import type { Fork } from './genesis.ts'

/** Signed transactions of every type and outcome. */
export interface SignedTraffic {
  /** The senders. */
  readonly accounts: readonly string[]
  /** Makes the next one. It must be sent, because later ones have later nonces. About every tenth has a blob. */
  next(): void
  /** All transactions of an account so far, serialized, by nonce. */
  madeOf(account: string): readonly string[]
}

const fee = 20_000_000_000n
const tip = 1_000_000_000n
/** A proof for each cell of a blob, which Osaka requires instead of one proof of the blob (EIP-7594). */
const cellProofs = `0x${infinity.slice(2).repeat(128)}`

export function createSignedTraffic(chainId: number, fork: Fork, random: Random): SignedTraffic {
  const root = HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(mnemonic), "m/44'/60'/0'/0")
  // Geth's pool takes either only blob transactions or only others of an account.
  const [ofBlobs, ofOthers] = [0, 1].map((index) => ({ wallet: root.deriveChild(index), made: [] as string[] }))
  let count = 0
  return {
    accounts: [ofBlobs!, ofOthers!].map(({ wallet }) => wallet.address),
    next() {
      const fields = kinds[count++ % kinds.length]!({ random, chainId, fork })
      const account = fields.type === 3 ? ofBlobs! : ofOthers!
      const transaction = Transaction.from({ chainId, gasLimit: 200_000, nonce: account.made.length, ...fields })
      transaction.signature = account.wallet.signingKey.sign(transaction.unsignedHash)
      account.made.push(transaction.serialized)
    },
    madeOf: (account) => [ofBlobs!, ofOthers!].find(({ wallet }) => wallet.address === account)!.made,
  }
}

const dynamic = { type: 2, maxFeePerGas: fee, maxPriorityFeePerGas: tip }
const legacy = { type: 0, gasPrice: fee }

interface Choice {
  readonly random: Random
  readonly chainId: number
  readonly fork: Fork
}

const kinds: readonly ((choice: Choice) => TransactionLike)[] = [
  ({ random }) => ({ ...legacy, to: random.hex(20), value: random.integer(1e9) }),
  ({ random }) => ({ ...legacy, chainId: 0, to: random.hex(20), value: 5n }),
  ({ random }) => ({
    ...{ type: 1, gasPrice: fee, to: contracts.logging.address, data: random.hex(68) },
    accessList: [{ address: contracts.logging.address, storageKeys: [random.hex(32)] }],
  }),
  ({ random }) => ({ ...dynamic, to: random.hex(20), value: 2n ** 64n + BigInt(random.integer(1e9)) }),
  ({ random }) => ({ ...dynamic, to: contracts.logging.address, data: random.hex(random.integer(300)) }),
  () => ({ ...dynamic, to: contracts.reverting.address, value: 1n }),
  () => ({ ...dynamic, to: null, data: creation }),
  ({ random, chainId }) => ({
    ...{ ...dynamic, type: 4, to: random.hex(20) },
    authorizationList: [
      new Wallet(random.hex(32)).authorizeSync({ address: contracts.logging.address, chainId, nonce: 0 }),
    ],
  }),
  ({ random, fork }) => ({
    ...{ ...dynamic, type: 3, to: random.hex(20), maxFeePerBlobGas: fee },
    blobVersionedHashes: [versionedHash(infinity)],
    ...(fork === 'osaka' && { blobWrapperVersion: 1 }),
    blobs: [{ data: emptyBlob, commitment: infinity, proof: fork === 'osaka' ? cellProofs : infinity }],
  }),
]
