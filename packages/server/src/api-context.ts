import type { Admission } from './access/admission.ts'
import type { KeyDirectory } from './access/keys/key-directory.ts'
import type { Quotas } from './access/limits/quotas.ts'
import type { Activity } from './activity/activity.ts'
import type { Page } from './explorer/load-page.ts'
import type { Feeds } from './feed/feeds.ts'
import type { Streams } from './feed/streams.ts'
import type { CanonicalViews } from './history/canonical-views.ts'
import type { Finals } from './history/finals.ts'
import type { Heads } from './history/heads.ts'
import type { History } from './history/history.ts'
import type { GatewayMeter } from './metrics/gateway-meter.ts'
import type { CompleteOptions } from './options/gateway-options.ts'
import type { TopicDirectory } from './topics/topic-directory.ts'
import type { UsageMeter } from './usage/usage-meter.ts'

export interface ApiOptions extends CompleteOptions {
  /** Under which it writes usage. No other process has it. */
  readonly id: string
  /** That only this gateway accepts. */
  readonly key: string
  readonly meter: GatewayMeter
  readonly usage: UsageMeter
  readonly page: Page | undefined
  readonly signal: AbortSignal
  isDraining(): boolean
}

export interface ApiContext extends ApiOptions {
  readonly keys: KeyDirectory
  readonly quotas: Quotas
  readonly admission: Admission
  readonly topics: TopicDirectory
  readonly activity: Activity
  readonly history: History
  readonly heads: Heads
  readonly canonicalViews: CanonicalViews
  readonly finals: Finals
  readonly feeds: Feeds
  readonly streams: Streams
}
