import { type API, createAPI, Writer } from '@platformatic/kafka'

export interface EndTxnArguments {
  readonly transactionalId: string
  readonly producerId: bigint
  readonly epoch: number
  readonly committed: boolean
}

export interface EndTxnAnswer {
  readonly errorCode: number
}

/** Producer id and epoch of the next transaction are meaningless with an error code. */
export interface EndTxnV5Answer extends EndTxnAnswer {
  readonly producerId: bigint
  readonly epoch: number
}

function encode({ transactionalId, producerId, epoch, committed }: EndTxnArguments): Writer {
  return Writer.create()
    .appendString(transactionalId)
    .appendInt64(producerId)
    .appendInt16(epoch)
    .appendBoolean(committed)
    .appendTaggedFields()
}

/** Keeps the epoch. */
export const endTxnV3: API<[EndTxnArguments], EndTxnAnswer> = createAPI(26, 3, encode, (_id, _key, _v, reader) => {
  reader.readInt32() // throttle_time_ms
  return { errorCode: reader.readInt16() }
})

/** Ends the epoch too (KIP-890). */
export const endTxnV5: API<[EndTxnArguments], EndTxnV5Answer> = createAPI(26, 5, encode, (_id, _key, _v, reader) => {
  reader.readInt32() // throttle_time_ms
  return { errorCode: reader.readInt16(), producerId: reader.readInt64(), epoch: reader.readInt16() }
})
