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

/** Transactions of anvil's first account that no node signs itself. */
export interface SignedTransactions {
  /** A blob transaction (EIP-4844) with one empty blob. */
  blob(): Call
  /** A legacy transaction without a chain id (before EIP-155). */
  unprotected(): Call
  /** Sets the account's next nonce. */
  continueAt(nonce: number): void
}

/** The accounts of this mnemonic are rich on every test chain. */
export const mnemonic = 'test test test test test test test test test test test junk'
const fee = 20_000_000_000n
/** The point at infinity: KZG commitment and proof of a blob of zeros. */
export const infinity = `0xc0${'00'.repeat(47)}`
export const emptyBlob = hexlify(new Uint8Array(131_072))

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
        blobVersionedHashes: [versionedHash(infinity)],
        blobs: [{ data: emptyBlob, commitment: infinity, proof: infinity }],
      }),
    unprotected: () => signed({ type: 0, chainId: 0, gasPrice: fee, value: 5n }),
    continueAt(next) {
      nonce = next
    },
  }
}

/** The versioned hash of a blob, from its commitment (EIP-4844). */
export function versionedHash(commitment: string): string {
  return `0x01${sha256(commitment).slice(4)}`
}

/** A valid EIP-7702 authorization of a new account, as JSON-RPC encodes it. */
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
