import type { Queue } from '@headrace/queue'
import type { Logger } from 'pino'
import type { Admission } from './access/admission.ts'
import type { KeyLimits } from './access/limits/key-limits.ts'
import type { Feeds } from './feed/feeds.ts'
import type { Streams } from './feed/streams.ts'
import type { CanonicalViews } from './history/canonical-views.ts'
import type { Heads } from './history/heads.ts'
import type { History } from './history/history.ts'
import type { GatewayMeter } from './metrics/gateway-meter.ts'
import type { Limits } from './options/limits.ts'
import type { TopicDirectory } from './topics/topic-directory.ts'
import type { UsageMeter } from './usage/usage-meter.ts'

export interface ApiContext {
  readonly queue: Queue
  readonly admission: Admission
  readonly keyLimits: KeyLimits
  readonly topics: TopicDirectory
  readonly history: History
  readonly heads: Heads
  readonly canonicalViews: CanonicalViews
  readonly feeds: Feeds
  readonly streams: Streams
  readonly limits: Limits
  readonly meter: GatewayMeter
  readonly usage: UsageMeter
  readonly log: Logger
  isDraining(): boolean
}
