import { type BatchEncoder, createBatchEncoder } from '../../record-batch/encode.ts'

/** Encoders whose memory is used again. Keeps few: a large transaction must not hold memory for ever. */
export interface EncoderPool {
  take(): BatchEncoder
  give(encoder: BatchEncoder): void
}

export function createEncoderPool(): EncoderPool {
  const free: BatchEncoder[] = []
  return {
    take: () => free.pop() ?? createBatchEncoder(),
    give(encoder) {
      encoder.reset()
      if (free.length < mostFree) free.push(encoder)
    },
  }
}

const mostFree = 16
