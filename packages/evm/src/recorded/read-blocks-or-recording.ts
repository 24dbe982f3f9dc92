import { fileURLToPath } from 'node:url'
import type { BlockSource } from '../source/block-source.ts'
import { type BlockStep, readBlocks } from '../source/read-blocks.ts'
import type { EvmSettings } from '../source/settings.ts'
import { serveRecording } from './recorded-node.ts'

/** Which blocks to read, and from where. */
export type SettingsOrRecording = Omit<EvmSettings, 'rpc'> & {
  /** As `EvmSettings` has it. Without it the recording is read, from its first block on, whatever `start` says. */
  readonly rpc?: EvmSettings['rpc'] | undefined
}

/**
 * As `readBlocks`, for a connector that is to run before it has a node: as long as no `rpc` is set, a recording is served
 * to it as a node would, and a warning says so.
 *
 * @param recording JSON file of a `Recording`.
 * @throws {InvalidRecordingError} the file is not there or holds none.
 *
 * @example
 * ```ts
 * const recording = new URL('../recorded/blocks.json', import.meta.url)
 *
 * for await (const { block, receipts, ...position } of readBlocksOrRecording(settings, source, recording))
 *   yield { ...position, messages: { Block: [toBlock(block)] } }
 * ```
 */
export async function* readBlocksOrRecording(
  settings: SettingsOrRecording,
  source: BlockSource,
  recording: URL,
): AsyncGenerator<BlockStep, void, undefined> {
  const { rpc } = settings
  if (rpc !== undefined) {
    yield* readBlocks({ ...settings, rpc }, source)
    return
  }
  const node = await serveRecording(recording)
  try {
    source.log.warn(
      { recording: fileURLToPath(recording) },
      'setting "rpc" is not set: reading a recording and no chain. Set it, as CONNECTOR_RPC in .env, to read from a node',
    )
    yield* readBlocks({ ...settings, rpc: node.rpc, start: 'earliest' }, source)
  } finally {
    await node.close()
  }
}
