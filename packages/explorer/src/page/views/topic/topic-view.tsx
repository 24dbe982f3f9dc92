import { useExplorer } from '../../explorer.ts'
import { bytes, duration, grouped, short } from '../../format/number.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Failure, Loading } from '../../parts/states.tsx'
import { linkTo } from '../../route/route.ts'
import type { ConnectorState, Topic } from '../../service/types.ts'
import { usePolled } from '../../service/use-polled.ts'
import { Time } from '../../time/time.tsx'
import { TopicName } from '../topics/topics-view.tsx'
import { RecordsTab } from './records/records-tab.tsx'
import { SchemaTab } from './schema-tab.tsx'
import { UseItTab } from './use-it-tab.tsx'

const everyMs = 3000

export function TopicView({ name }: { readonly name: string }) {
  const { service, router } = useExplorer()
  const topic = usePolled((signal) => service.topic(name, signal), { everyMs, key: name })
  const connectors = usePolled((signal) => service.connectors(signal), { everyMs })
  const { path, query } = router.route.value
  const tab = path[2] ?? 'records'
  if (!topic.value) return topic.error ? <Failure isPage error={topic.error} retry={topic.retry} /> : <Loading />
  const state = connectors.value?.find(({ topics }) => topics.includes(name))
  return (
    <div class="topic-page">
      <div class="topic-head">
        <p class="crumbs">
          <a class="link" href={linkTo([])}>
            Topics
          </a>
        </p>
        <h1>
          <TopicName name={name} />
          <CopyButton text={name} what="the name of the topic" />
        </h1>
        <Facts topic={topic.value} state={state} />
        <nav class="tabs" aria-label="Topic">
          {tabs.map(({ id, title }) => (
            <a
              key={id}
              href={linkTo(['topics', name, ...(id === 'records' ? [] : [id])], query)}
              aria-current={tab === id ? 'page' : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
      </div>
      {tab === 'records' && <RecordsTab topic={topic.value} />}
      {tab === 'use' && (
        <div class="tab-body">
          <UseItTab topic={topic.value} {...selectionOf(query)} />
        </div>
      )}
      {tab === 'schema' && (
        <div class="tab-body">
          <SchemaTab topic={topic.value} />
        </div>
      )}
    </div>
  )
}

const tabs = [
  { id: 'records', title: 'Records' },
  { id: 'schema', title: 'Schema' },
  { id: 'use', title: 'Use it' },
] as const

function selectionOf({ filter = '', view, at = '' }: Readonly<Record<string, string>>) {
  return { filter, view: view === 'log' ? view : 'canonical', from: at } as const
}

function Facts({ topic, state }: { readonly topic: Topic; readonly state: ConnectorState | undefined }) {
  const { rate, newest, records, retention, partitions, successor } = topic
  const limits = [retention?.ms != null && duration(retention.ms), retention?.bytes != null && bytes(retention.bytes)]
  const kept = limits.filter((limit) => limit !== false).join(' or ') || 'all'
  return (
    <dl class="facts">
      {records != null && <Fact name="Records">{grouped(records)}</Fact>}
      {rate && (
        <Fact name="Rate">
          {short(rate.perSecond)}
          <span class="unit">/s</span>
        </Fact>
      )}
      {newest && (
        <Fact name="Newest">
          <Time value={newest.time} />
        </Fact>
      )}
      {state?.source && <Fact name="Lag">{state.source.lag <= 0 ? 'at the head' : grouped(state.source.lag)}</Fact>}
      {retention && <Fact name="Retention">{kept}</Fact>}
      {partitions > 1 && <Fact name="Partitions">{partitions}</Fact>}
      {successor && (
        <Fact name="Replaced by">
          <a class="link" href={linkTo(['topics', successor])}>
            {successor}
          </a>
        </Fact>
      )}
    </dl>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
