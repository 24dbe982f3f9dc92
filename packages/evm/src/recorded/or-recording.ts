import { fileURLToPath } from 'node:url'
import type { BlockSource, EvmSettings } from '../source/block-source.ts'
import { serveRecording } from './recorded-node.ts'

/** Settings without which a recording is read. */
export type WithOptionalRpc<Settings extends Pick<EvmSettings, 'rpc' | 'start'>> = Omit<Settings, 'rpc'> & {
  /** As in `EvmSettings`. Without it the whole recording is read, whatever `start` is. */
  readonly rpc?: EvmSettings['rpc'] | undefined
}

/** Reads a node, or without the setting `rpc` a recording, and logs a warning. */
export async function* readNodeOrRecording<Step>(
  { rpc, start }: { readonly rpc?: EvmSettings['rpc'] | undefined; readonly start: EvmSettings['start'] },
  { log }: Pick<BlockSource, 'log'>,
  recording: URL,
  read: (from: Pick<EvmSettings, 'rpc' | 'start'>) => AsyncGenerator<Step, void, undefined>,
): AsyncGenerator<Step, void, undefined> {
  if (rpc !== undefined) {
    yield* read({ rpc, start })
    return
  }
  const node = await serveRecording(recording)
  try {
    log.warn(
      { recording: fileURLToPath(recording) },
      'setting "rpc" is not set: reading a recording instead of a chain. To read from a node, set CONNECTOR_RPC in .env',
    )
    yield* read({ rpc: node.rpc, start: 'earliest' })
  } finally {
    await node.close()
  }
}
