import { Transaction } from 'ethers'
import type { RpcTransaction } from '../src/index.ts'

/** Converts a transaction of JSON-RPC to one of ethers, which encodes and hashes it independently. */
export function ethersTransaction(transaction: RpcTransaction): Transaction {
  const raw = transaction as unknown as Fields
  const signature = (of: Record<string, string>) => ({
    r: `0x${of.r!.slice(2).padStart(64, '0')}`,
    s: `0x${of.s!.slice(2).padStart(64, '0')}`,
    v: Number(of.yParity ?? of.v),
  })
  const { hash, from, blockHash, gas, input, gasPrice, ...fields } = raw
  return Transaction.from({
    ...fields,
    ...(Number(raw.type) < 2 ? { gasPrice } : {}),
    type: Number(raw.type),
    nonce: Number(raw.nonce),
    gasLimit: gas,
    data: input,
    blobs: null,
    chainId: raw.chainId ?? 0,
    signature: signature(raw),
    authorizationList: raw.authorizationList?.map((each) => ({ ...each, signature: signature(each) })) ?? null,
  } as never)
}

type Fields = Record<string, string> & { authorizationList?: Record<string, string>[] }
