import { type EventSettings, type EventStep, readEvents } from '../events/read-events.ts'
import type { BlockSource } from '../source/block-source.ts'
import { readNodeOrRecording, type WithOptionalRpc } from './or-recording.ts'

export type EventSettingsOrRecording = WithOptionalRpc<EventSettings>

/**
 * As `readEvents`. Without the setting `rpc` a recording is read instead, and a warning is logged.
 *
 * @param recording JSON file of a `Recording` with receipts.
 * @throws {InvalidRecordingError} the file is not there or has none.
 *
 * @example
 * ```ts
 * const recording = new URL('../recorded/events.json', import.meta.url)
 *
 * for await (const { block, logs, ...position } of readEventsOrRecording(settings, source, recording))
 *   yield { ...position, messages: { Transfer: logs.map((log) => toTransfer(log, block)) } }
 * ```
 */
export function readEventsOrRecording(
  settings: EventSettingsOrRecording,
  source: BlockSource,
  recording: URL,
): AsyncGenerator<EventStep, void, undefined> {
  return readNodeOrRecording(settings, source, recording, (from) => readEvents({ ...settings, ...from }, source))
}
