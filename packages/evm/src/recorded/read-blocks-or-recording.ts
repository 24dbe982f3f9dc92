import type { BlockSource, EvmSettings } from '../source/block-source.ts'
import type { BlockStep } from '../source/block-step.ts'
import { readBlocks } from '../source/read-blocks.ts'
import { readNodeOrRecording, type WithOptionalRpc } from './or-recording.ts'

export type SettingsOrRecording = WithOptionalRpc<EvmSettings>

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
export function readBlocksOrRecording(
  settings: SettingsOrRecording,
  source: BlockSource,
  recording: URL,
): AsyncGenerator<BlockStep, void, undefined> {
  return readNodeOrRecording(settings, source, recording, (from) => readBlocks({ ...settings, ...from }, source))
}
