import { expect } from 'vitest'
import type { BlockStep, EvmSettings } from '../../src/index.ts'
import { toNumber } from '../../src/quantity/quantity.ts'
import { inHex, oracleMessages } from './oracle-messages.ts'

/** Expects the messages that a source with these settings publishes of a block, byte for byte. */
export function expectOracleMessages(step: BlockStep, settings: Pick<EvmSettings, 'receipts' | 'logs'>): void {
  const { receipts, logs } = settings
  const fetched = receipts || logs ? step.receipts : undefined
  const { Receipt, Log, ...ofBlock } = oracleMessages(step.block, toNumber(step.block.number), fetched)
  expect(inHex(step.messages)).toEqual({ ...ofBlock, ...(receipts && { Receipt }), ...(logs && { Log }) })
}
