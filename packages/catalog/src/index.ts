export {
  type Adoption,
  adoptedFormats,
  adoptedKeyForms,
  framings,
  readAdoptions,
  writeAdoption,
} from './adoption/adoption.ts'
export { checkAdoptable, checkAdoptedAgain } from './adoption/check-adoption.ts'
export { type AdoptionRequest, describeAdoption } from './adoption/describe-adoption.ts'
export { hideOwnHeaders } from './adoption/foreign-records.ts'
export {
  type FollowedContents,
  followContents,
  isAdopted,
  readContents,
  type TopicContent,
  type TopicContents,
} from './adoption/topic-contents.ts'
export type { Checkpoint, NextSeqs } from './checkpoint/checkpoint.ts'
export {
  checkpointKey,
  checkpointPartition,
  checkpointRingKey,
  checkpointRingSize,
  decodeCheckpoint,
  encodeCheckpoint,
  readCheckpoint,
} from './checkpoint/checkpoint.ts'
export {
  type CommittedCheckpoint,
  createNewestCheckpoints,
  type NewestCheckpoints,
} from './checkpoint/newest-checkpoints.ts'
export { addRunReport, type RunReport, readRunReport } from './checkpoint/run-report.ts'
export { type Comparison, compareProjects, comparePublished } from './compatibility/compare-projects.ts'
export type { TopicForm } from './compatibility/compare-topics.ts'
export { catalogErrorCodes } from './errors.ts'
export { type LoadedProject, loadProject } from './manifest/load-project.ts'
export type { Manifest, ManifestTopic, Project, SettingSchema, SettingsSchema } from './manifest/manifest.ts'
export { InvalidProjectError } from './manifest/manifest.ts'
export type { Settings, SettingsSources } from './manifest/resolve-settings.ts'
export { explainUnknownVariables, resolveSettings } from './manifest/resolve-settings.ts'
export { type ConnectorTopic, type ResolvedTopics, resolveTopics } from './manifest/resolve-topics.ts'
export { parseRetention } from './manifest/retention.ts'
export { didYouMean } from './nearest-name.ts'
export type { Cursor, CursorTopic, PartitionPlace, ResolvedPosition } from './position/cursor.ts'
export { cursorLimit, decodeCursor, encodeCursor } from './position/cursor.ts'
export { type FoundRecord, findHead, findLast, findSeq } from './position/find-record.ts'
export { newestFirst } from './position/newest-first.ts'
export { type Position, parsePosition } from './position/parse-position.ts'
export { convertPositionLoss, type PositionLoss, PositionUnavailableError } from './position/position-unavailable.ts'
export type { ReaderPosition, RecordPlace } from './position/reader-position.ts'
export { createReaderPosition, hasReached, placeAfter } from './position/reader-position.ts'
export { type ResolvePositionOptions, resolvePosition } from './position/resolve-position.ts'
export { createSkips, nextSeqsOf, type Skips, type SkipsOptions } from './position/skips.ts'
export { type FilePlace, formatProblem, type Problem, type ProblemCode, problemCodes } from './problem.ts'
export { createFieldFilter, type FieldFilter } from './record-field/field-filter.ts'
export { createKeyReader, createTimeReader, type KeyReader, type TimeReader } from './record-field/record-field.ts'
export { createFilterCompiler, type FilterCompiler } from './record-filter/filter-compiler.ts'
export type { FilterIndex } from './record-filter/filter-index.ts'
export { InvalidFilterError } from './record-filter/invalid-filter.ts'
export { checkFilterSyntax } from './record-filter/parse-filter.ts'
export type { RecordFilter } from './record-filter/record-filter.ts'
export type { RecordHeaders } from './record-header/record-header.ts'
export { encodeAt, encodeReverts, headerKeys, readRecordHeaders } from './record-header/record-header.ts'
export { createMessageCheck, type MessageCheck } from './record-json/message-check.ts'
export { type MessageForm, messageForm } from './record-json/message-form.ts'
export { type RecordObject, type RecordRenderer, withCursor } from './record-json/record-envelope.ts'
export { parseFields } from './record-json/record-fields.ts'
export { createRecordRenderer, type RecordRendererOptions } from './record-json/record-renderer.ts'
export { createValueSchema, type JsonSchema } from './record-json/value-schema.ts'
export type { OrderedRecord, RecordLists, RecordOrder } from './record-order/merge-partitions.ts'
export { mergePartitions } from './record-order/merge-partitions.ts'
export { checkProject } from './registry/check-registrations.ts'
export { type CheckTopicsOptions, checkTopics } from './registry/check-topics.ts'
export { type CopiedSchema, copySchemas } from './registry/copy-schemas.ts'
export { type RegisterTopicsOptions, registerTopics } from './registry/register-topics.ts'
export type { EarlierForm, FieldNumbers, TopicRegistration } from './registry/registration.ts'
export {
  type FollowedRegistry,
  followRegistry,
  readRegistry,
  topicRegistrations,
  writerIdOf,
} from './registry/registration.ts'
export { schemaVersions, topicSchema } from './registry/topic-schema.ts'
export type { Reorganisation, Reorganisations, ReorganisationsOptions } from './reorganisation/reorganisations.ts'
export {
  createReorganisations,
  readReorganisation,
  reorganisationRecord,
  reorganisationsPartition,
} from './reorganisation/reorganisations.ts'
export { createRevertedSeqs, type RevertedSeqs, type SeqInterval } from './reorganisation/reverted-seqs.ts'
export { type CompiledProtos, compileProtos } from './schema/compile-protos.ts'
export { formatProto } from './schema/format-proto.ts'
export { type SchemaSet, schemaFromDescriptors } from './schema/schema-set.ts'
export { commentOf } from './schema/source-comments.ts'
export { isSameSchema } from './schema-registry/is-same-schema.ts'
export { parseRegistryUrl, type RegistryAddress } from './schema-registry/registry-address.ts'
export type {
  RegisteredSchema,
  SchemaRegistryClient,
  SchemaRegistryOptions,
  SubjectVersion,
} from './schema-registry/registry-client.ts'
export { createSchemaRegistryClient } from './schema-registry/registry-client.ts'
export { UnknownSchemaError } from './schema-registry/registry-error.ts'
export {
  encodeSchemaId,
  type FileSchema,
  fileSchema,
  schemaGuidIn,
  serializedFile,
  valueSubject,
} from './schema-registry/schema-identity.ts'
export { createSystemTopics, systemTopics } from './system-topics/system-topics.ts'
export { createTopicFormat } from './topic-format/create-topic-format.ts'
export { createRegistryClients, type RegistryClientsOptions } from './topic-format/registry-clients.ts'
export type { FormatContext, TopicFormat, TopicSchema } from './topic-format/topic-format.ts'
export type { TopicNameParts } from './topic-name/topic-name.ts'
export { checkTopicName, formatLineage, formatTopicName, isSystemTopic } from './topic-name/topic-name.ts'
export { compareVersions, parseVersion } from './topic-name/version.ts'
export {
  contextOf,
  endFailed,
  isSampled,
  isTracing,
  messagingSystem,
  traceparentKey,
  traceparentOf,
  tracer,
} from './trace/tracer.ts'
