import { RefusedError } from './errors.ts'
import { createRetry } from './retry.ts'
import { requestJson } from './service/request-json.ts'
import type { ClientContext } from './service/service.ts'

/** Numbers without a known size are strings, as `unit`. */
export interface TopicSummary {
  readonly topic: string
  /** `null` for an adopted topic, which other programs write. */
  readonly connector: ConnectorName | null
  /** The connector instance that writes it. `null` for an adopted topic. */
  readonly instance: string | null
  /** Of the values on the queue. */
  readonly format: 'protobuf' | 'json' | 'avro'
  /** Full name of its protobuf message, or of its Avro type. `null` if its values have no named type. */
  readonly message: string | null
  /** The field that holds the record key. */
  readonly key?: string
  /** The field that holds the record time. */
  readonly time?: string
  /** How `bytes` fields are written in JSON. */
  readonly bytes: 'hex' | 'base64'
  readonly partitions: number
  /** The topic that replaces it. */
  readonly successor?: string
  /** Published so far, removed ones included. `null` if it is not known. */
  readonly records: number | null
  /** `null` if the topic is empty. */
  readonly newest: NewestRecord | null
  readonly rate: Rate & { readonly records: readonly number[] }
  /** `null` in it: without this limit. `null` for an adopted topic. */
  readonly retention: { readonly ms: number | null; readonly bytes: number | null } | null
}

export interface Topic extends TopicSummary {
  /** For each partition the offset of the earliest existing record, and that of the next one. */
  readonly bounds: readonly { readonly partition: number; readonly earliest: string; readonly end: string }[]
  /** The place before the earliest record. */
  readonly earliestCursor: string
  /** The place after the last one. */
  readonly headCursor: string
  /** Of protobuf: the schema as .proto text, with its comments and imports. */
  readonly proto?: string
  /** Of protobuf: the same as a serialized `google.protobuf.FileDescriptorSet`, in base64. */
  readonly descriptors?: string
  /** Of Avro: the schema, as JSON. */
  readonly avro?: string
  /** JSON Schema (draft 2020-12) of the `value` of records. */
  readonly jsonSchema: Readonly<Record<string, unknown>>
}

export interface ConnectorName {
  readonly owner: string
  readonly package: string
  readonly version: string
  readonly title?: string
}

export interface NewestRecord {
  /** RFC 3339. */
  readonly time: string
  /** `null` if a foreign program wrote it. */
  readonly unit: string | null
}

/** Measured by the gateway that answers. */
export interface Rate {
  /** Over the last minute. */
  readonly perSecond: number
  /** Length of the intervals, of which the last 60 at most are given, the oldest first. */
  readonly seconds: number
}

/** What a connector instance stored with its newest unit. */
export interface ConnectorState {
  readonly connector: ConnectorName
  readonly instance: string
  /** Those that the key may read. */
  readonly topics: readonly string[]
  /** `null` if it has published nothing. */
  readonly unit: string | null
  /** The checkpoint of that unit, in the form of the connector. */
  readonly position: unknown
  /** The unit up to which nothing can be reverted any more. */
  readonly final: { readonly unit: string } | null
  /** RFC 3339, by the clock of the connector. */
  readonly lastCommit: string | null
  /** In the unit of the source. `null` if the connector does not report it. */
  readonly source: { readonly position: number; readonly head: number; readonly lag: number } | null
  readonly endpoints: readonly { readonly endpoint: string; readonly up: boolean }[]
  readonly rate: Rate & { readonly units: readonly number[] }
  /** At most 20, the newest first. */
  readonly reorganisations: readonly ReorganisationState[]
}

export interface ReorganisationState {
  /** RFC 3339. */
  readonly time: string
  readonly topic: string
  readonly partition: number
  /** Seq of the first reverted record. */
  readonly first: string
  /** Seq of the last revert. */
  readonly last: string
}

/** Of all gateways together. The last seconds are not included. */
export interface Usage {
  readonly key: { readonly id: string; readonly name: string }
  /** Beginning of the first hour, RFC 3339. */
  readonly from: string
  /** Hours that begin at this time or later are not included. */
  readonly to: string
  readonly total: UsageCounts
  /** Those with any use, the oldest first. */
  readonly hours: readonly HourlyUsage[]
  /** If the key has a monthly quota. */
  readonly quota?: Quota
}

export interface HourlyUsage extends UsageCounts {
  /** Its beginning, RFC 3339. */
  readonly hour: string
}

export interface UsageCounts {
  readonly requests: number
  /** Because of a limit of the key or its origins. */
  readonly refused: number
  readonly records: number
  readonly bytes: number
  readonly connectionSeconds: number
}

export interface Quota {
  readonly requests?: QuotaLimit
  readonly records?: QuotaLimit
  readonly bytes?: QuotaLimit
  /** RFC 3339. */
  readonly resetsAt: string
}

export interface QuotaLimit {
  readonly limit: number
  readonly left: number
}

export interface RequestOptions {
  /** Ends the request: the promise is rejected with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

export interface UsageOptions extends RequestOptions {
  /** An RFC 3339 time, or a time ago such as `-7d`. At most 31 days before `to`. Default `-24h`. */
  readonly from?: string | undefined
  /** The same. Default: now. */
  readonly to?: string | undefined
}

export interface State {
  /**
   * Lists the topics that the key may read, in order of name.
   *
   * @throws {RefusedError} retrying does not help.
   * @throws {UnavailableError} the gateway did not answer for `retryForMs`.
   *
   * @example
   * ```ts
   * for (const { topic, records, rate } of await client.topics())
   *   console.log(`${topic}: ${records} records, ${rate.perSecond} a second`)
   * ```
   */
  topics(options?: RequestOptions): Promise<readonly TopicSummary[]>

  /**
   * Describes a topic, with its bounds and its schema.
   *
   * @throws As `topics`. `topic_forbidden` and `topic_not_found` are codes of a {RefusedError}.
   *
   * @example
   * ```ts
   * const { proto } = await client.topic('headrace.evm.1_0_0.ethereum_Block')
   * ```
   */
  topic(name: string, options?: RequestOptions): Promise<Topic>

  /**
   * Lists the connector instances of which the key may read a topic.
   *
   * @throws As `topics`.
   *
   * @example
   * ```ts
   * const late = (await client.connectors()).filter(({ source }) => source !== null && source.lag > 10)
   * ```
   */
  connectors(options?: RequestOptions): Promise<readonly ConnectorState[]>

  /**
   * Reads the usage of the key by hour.
   *
   * @throws As `topics`.
   *
   * @example
   * ```ts
   * const { total } = await client.usage({ from: '-7d' })
   * ```
   */
  usage(options?: UsageOptions): Promise<Usage>
}

/** Ms. */
const answerMs = 60_000

export function createState(context: ClientContext): State {
  return {
    topics: async (options) => listIn<TopicSummary>(await get('/api/v1/topics', options), 'topics'),
    topic: async (name, options) => objectIn<Topic>(await get(`/api/v1/topics/${encodeURIComponent(name)}`, options)),
    connectors: async (options) => listIn<ConnectorState>(await get('/api/v1/connectors', options), 'connectors'),
    usage: async ({ from, to, signal } = {}) => objectIn<Usage>(await get('/api/v1/usage', { signal }, { from, to })),
  }

  function get(
    path: string,
    { signal }: RequestOptions = {},
    query: Readonly<Record<string, string | undefined>> = {},
  ): Promise<unknown> {
    const { service, ...settings } = context
    return requestJson(service, createRetry({ ...settings, signal }), { path, query, ms: answerMs, signal })
  }
}

function objectIn<Answer extends object>(answer: unknown): Answer {
  if (typeof answer === 'object' && answer !== null) return answer as Answer
  throw unexpectedAnswer()
}

function listIn<Member>(answer: unknown, name: string): readonly Member[] {
  const list = objectIn<Record<string, unknown>>(answer)[name]
  if (Array.isArray(list)) return list
  throw unexpectedAnswer()
}

function unexpectedAnswer(): RefusedError {
  return new RefusedError(
    'unexpected_answer',
    'The answer is not the one that was requested, so it did not come from a gateway. Check "url".',
    { status: 200 },
  )
}
