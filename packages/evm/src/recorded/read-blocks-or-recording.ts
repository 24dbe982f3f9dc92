import { fileURLToPath } from 'node:url'
import type { BlockSource, EvmSettings } from '../source/block-source.ts'
import type { BlockStep } from '../source/block-step.ts'
import { readBlocks } from '../source/read-blocks.ts'
import { serveRecording } from './recorded-node.ts'

export type SettingsOrRecording = Omit<EvmSettings, 'rpc'> & {
  /** As in `EvmSettings`. Without it the whole recording is read, whatever `start` is. */
  readonly rpc?: EvmSettings['rpc'] | undefined
}

/**
 * As `readBlocks`. Without the setting `rpc` a recording is read instead, and a warning is logged.
 *
 * @param recording JSON file of a `Recording`.
 * @throws {InvalidRecordingError} the file is not there or has none.
 *
 * @example
 * ```ts
 * const recording = new URL('../recorded/blocks.json', import.meta.url)
 *
 * read: (source) => readBlocksOrRecording(settings, source, recording),
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
      'setting "rpc" is not set: reading a recording instead of a chain. To read from a node, set CONNECTOR_RPC in .env',
    )
    yield* readBlocks({ ...settings, rpc: node.rpc, start: 'earliest' }, source)
  } finally {
    await node.close()
  }
}
