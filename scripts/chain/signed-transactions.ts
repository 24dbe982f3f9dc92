import {
  type BaseWallet,
  HDNodeWallet,
  hexlify,
  Mnemonic,
  sha256,
  Transaction,
  type TransactionLike,
  Wallet,
} from 'ethers'
import type { Random } from '../random.ts'
import { type Call, quantity } from './json-rpc.ts'

/** Transactions that no node signs for an unlocked account. They come from anvil's first account alone. */
export interface SignedTransactions {
  /** A blob transaction (EIP-4844) with one empty blob. */
  blob(): Call
  /** A legacy transaction without a chain id (before EIP-155). */
  unprotected(): Call
  /** Sets the account's next nonce. */
  continueAt(nonce: number): void
}

const mnemonic = 'test test test test test test test test test test test junk'
const fee = 20_000_000_000n
/** The KZG commitment of the zero polynomial, and its proof too, is the point at infinity. */
const infinity = `0xc0${'00'.repeat(47)}`

export function createSignedTransactions(chainId: number): SignedTransactions {
  const account = HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(mnemonic), "m/44'/60'/0'/0/0")
  let nonce = 0
  const signed = (fields: TransactionLike): Call => {
    const transaction = Transaction.from({ to: account.address, gasLimit: 21_000, nonce: nonce++, ...fields })
    transaction.signature = account.signingKey.sign(transaction.unsignedHash)
    return { method: 'eth_sendRawTransaction', params: [transaction.serialized] }
  }
  return {
    blob: () =>
      signed({
        type: 3,
        chainId,
        maxFeePerGas: fee,
        maxPriorityFeePerGas: 1n,
        maxFeePerBlobGas: fee,
        blobVersionedHashes: [`0x01${sha256(infinity).slice(4)}`],
        blobs: [{ data: hexlify(new Uint8Array(131_072)), commitment: infinity, proof: infinity }],
      }),
    unprotected: () => signed({ type: 0, chainId: 0, gasPrice: fee, value: 5n }),
    continueAt(next) {
      nonce = next
    },
  }
}

/** A valid EIP-7702 authorization of a fresh account, as a node takes it. */
export function signAuthorization(chainId: number, delegate: string, random: Random): Record<string, string> {
  const account: BaseWallet = new Wallet(random.hex(32))
  const { signature } = account.authorizeSync({ address: delegate, chainId, nonce: 0 })
  return {
    chainId: quantity(chainId),
    address: delegate,
    nonce: '0x0',
    yParity: quantity(signature.yParity),
    r: quantity(BigInt(signature.r)),
    s: quantity(BigInt(signature.s)),
  }
}
