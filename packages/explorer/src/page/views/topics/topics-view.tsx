import { useExplorer } from '../../explorer.ts'
import { bytes, duration, grouped, short } from '../../format/number.ts'
import { Outdated } from '../../parts/outdated.tsx'
import { SearchBox } from '../../parts/search-box.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'
import { EmptyState, Failure, Loading } from '../../parts/states.tsx'
import { linkTo } from '../../route/route.ts'
import type { ConnectorState, TopicSummary } from '../../service/types.ts'
import { usePolled } from '../../service/use-polled.ts'
import { Time } from '../../time/time.tsx'

const everyMs = 2000

export function TopicsView() {
  const { service, router } = useExplorer()
  const topics = usePolled((signal) => service.topics(signal), { everyMs })
  const connectors = usePolled((signal) => service.connectors(signal), { everyMs })
  const search = router.route.value.query.search ?? ''
  if (!topics.value)
    return topics.error ? (
      <Failure isPage error={topics.error} retry={topics.retry} />
    ) : (
      <Page>
        <Loading />
      </Page>
    )
  const found = topics.value.filter((topic) => matches(topic, search))
  return (
    <Page>
      <Outdated {...topics} />
      <div class="page-head">
        <div>
          <h1>Topics</h1>
          <p>{summaryOf(topics.value)}</p>
        </div>
        <SearchBox label="Search topics" placeholder="Search topics" />
      </div>
      {topics.value.length === 0 ? (
        <EmptyState title="No topics yet">
          <p>Topics appear here once a connector runs with the queue of this gateway, and the key may read them.</p>
        </EmptyState>
      ) : found.length === 0 ? (
        <EmptyState title="No topic matches">
          <p>
            There are {topics.value.length} topics. None has “{search}” in its name, connector or message.
          </p>
        </EmptyState>
      ) : (
        <div class="panel topic-list">
          <table class="grid-table">
            <thead>
              <tr>
                <th scope="col">Topic</th>
                <th scope="col" class="number">
                  Records/s
                </th>
                <th scope="col" class="trend">
                  Last 10 minutes
                </th>
                <th scope="col">Newest record</th>
                <th scope="col" class="number">
                  Records
                </th>
                <th scope="col" class="number">
                  Lag
                </th>
                <th scope="col" class="number">
                  Retention
                </th>
              </tr>
            </thead>
            <tbody>
              {found.map((topic) => (
                <TopicRow key={topic.topic} topic={topic} state={stateOf(topic, connectors.value)} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Page>
  )
}

function Page({ children }: { readonly children: preact.ComponentChildren }) {
  return <div class="page">{children}</div>
}

interface TopicRowProps {
  readonly topic: TopicSummary
  readonly state: ConnectorState | undefined
}

function TopicRow({ topic, state }: TopicRowProps) {
  const { connector, rate, newest, records, retention } = topic
  const perSecond = rate?.perSecond ?? 0
  return (
    <tr>
      <th scope="row">
        <a class="topic-name" href={linkTo(['topics', topic.topic])}>
          <TopicName name={topic.topic} />
          <small>
            {connector
              ? `${connector.title ?? `${connector.owner}/${connector.package}`} ${connector.version}`
              : `adopted, ${topic.format}`}
          </small>
        </a>
      </th>
      <td class={`number ${perSecond > 0 ? '' : 'muted'}`} data-label="Records/s">
        {rate ? short(perSecond) : '–'}
      </td>
      <td class="trend">
        {rate && <Sparkline values={rate.records} places={60} label={`${short(perSecond)} records per second`} />}
      </td>
      <td data-label="Newest record">{newest ? <Time value={newest.time} /> : <span class="muted">none yet</span>}</td>
      <td class="number" data-label="Records">
        {records == null ? '–' : grouped(records)}
      </td>
      <td class="number" data-label="Lag">
        {state?.source ? <Lag lag={state.source.lag} /> : <span class="muted">–</span>}
      </td>
      <td class="number muted" data-label="Retention">
        {keptText(retention)}
      </td>
    </tr>
  )
}

function Lag({ lag }: { readonly lag: number }) {
  return lag <= 0 ? <span class="in-step">at the head</span> : <span>{grouped(lag)}</span>
}

/** The message, which is the last part, stands out. */
export function TopicName({ name }: { readonly name: string }) {
  const end = name.lastIndexOf('.') + 1
  return (
    <span class="mono name">
      <span class="muted">{name.slice(0, end)}</span>
      {name.slice(end)}
    </span>
  )
}

function keptText(retention: TopicSummary['retention']): string {
  if (!retention) return '–'
  const limits = [
    ...(retention.ms == null ? [] : [duration(retention.ms)]),
    ...(retention.bytes == null ? [] : [bytes(retention.bytes)]),
  ]
  return limits.length === 0 ? 'all' : limits.join(' or ')
}

function matches({ topic, connector, message }: TopicSummary, search: string): boolean {
  const { title, owner, package: name } = connector ?? {}
  const text = [topic, title, owner, name, message].join(' ').toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

function stateOf({ topic }: TopicSummary, connectors: readonly ConnectorState[] = []): ConnectorState | undefined {
  return connectors.find(({ topics }) => topics.includes(topic))
}

function summaryOf(topics: readonly TopicSummary[]): string {
  const perSecond = topics.reduce((sum, { rate }) => sum + (rate?.perSecond ?? 0), 0)
  const count = topics.length === 1 ? '1 topic' : `${grouped(topics.length)} topics`
  return `${count}, ${short(perSecond)} records per second`
}
