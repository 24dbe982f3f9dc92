import type { EvmSettings } from '../src/index.ts'

/** Settings from block 0 on with frequent requests for the head, and changes to them. */
export function blockSettings(rpc: EvmSettings['rpc'], changes: Partial<EvmSettings> = {}): EvmSettings {
  return {
    rpc,
    start: 0,
    poll: 0.02,
    confirmations: 0,
    finality: 'finalized',
    verify: 'links',
    receipts: false,
    logs: false,
    ...changes,
  }
}
