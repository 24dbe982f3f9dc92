import { type API, createAPI, type Reader, Writer } from '@platformatic/kafka'

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
export interface EndTxnAnswerWithSession extends EndTxnAnswer {
  readonly producerId: bigint
  readonly epoch: number
}

/*
  EndTxn Request (Version: 3 to 5) => transactional_id producer_id producer_epoch committed TAG_BUFFER
    transactional_id => COMPACT_STRING
    producer_id => INT64
    producer_epoch => INT16
    committed => BOOLEAN
*/
function encode({ transactionalId, producerId, epoch, committed }: EndTxnArguments): Writer {
  return Writer.create()
    .appendString(transactionalId)
    .appendInt64(producerId)
    .appendInt16(epoch)
    .appendBoolean(committed)
    .appendTaggedFields()
}

/*
  EndTxn Response (Version: 3) => throttle_time_ms error_code TAG_BUFFER
    throttle_time_ms => INT32
    error_code => INT16
*/
function decodeV3(_correlationId: number, _apiKey: number, _apiVersion: number, reader: Reader): EndTxnAnswer {
  reader.readInt32()
  return { errorCode: reader.readInt16() }
}

/*
  EndTxn Response (Version: 5) => throttle_time_ms error_code producer_id producer_epoch TAG_BUFFER
    throttle_time_ms => INT32
    error_code => INT16
    producer_id => INT64
    producer_epoch => INT16
*/
function decodeV5(
  _correlationId: number,
  _apiKey: number,
  _apiVersion: number,
  reader: Reader,
): EndTxnAnswerWithSession {
  reader.readInt32()
  return { errorCode: reader.readInt16(), producerId: reader.readInt64(), epoch: reader.readInt16() }
}

/** Keeps the epoch. */
export const endTxnV3: API<[EndTxnArguments], EndTxnAnswer> = createAPI(26, 3, encode, decodeV3)

/** Ends the epoch too (KIP-890). */
export const endTxnV5: API<[EndTxnArguments], EndTxnAnswerWithSession> = createAPI(26, 5, encode, decodeV5)
