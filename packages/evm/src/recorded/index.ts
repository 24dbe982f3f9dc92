export { readBlocksOrRecording, type SettingsOrRecording } from './read-blocks-or-recording.ts'
export { type EventSettingsOrRecording, readEventsOrRecording } from './read-events-or-recording.ts'
export { type RecordedNode, serveRecording } from './recorded-node.ts'
export { type RecordedBlock, type Recording, readRecording, reorganise } from './recording.ts'
