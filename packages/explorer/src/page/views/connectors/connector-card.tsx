import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { useExplorer } from '../../explorer.ts'
import { grouped, short } from '../../format/number.ts'
import { beginning } from '../../format/shorten.ts'
import { JsonTree } from '../../parts/json-tree.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'
import { linkTo } from '../../route/route.ts'
import type { ConnectorState } from '../../service/types.ts'
import { Time } from '../../time/time.tsx'
import { TopicName } from '../topics/topics-view.tsx'
import { healthOf, isLate } from './connector-health.ts'

/** Characters of a title or name of others. */
const nameLength = 120

export function ConnectorCard({ state }: { readonly state: ConnectorState }) {
  const { clock } = useExplorer()
  const id = useId()
  const { connector, instance, topics, position } = state
  const health = healthOf(state, clock.now.value)
  const name = `${connector.owner}/${connector.package}`
  return (
    <article class="panel connector" aria-labelledby={id}>
      <header>
        <div class="connector-title">
          <h2 id={id} dir="auto">
            {beginning(connector.title ?? name, nameLength)}
          </h2>
          <p class="muted">
            <bdi class="mono">{beginning(name, nameLength)}</bdi> <bdi class="mono">{connector.version}</bdi>
            <span class="tag">
              instance <bdi>{beginning(instance, nameLength)}</bdi>
            </span>
          </p>
        </div>
        <p class={`health ${health.level}`}>{health.text}</p>
      </header>
      <Numbers state={state} />
      <Behind source={state.source} />
      <div class="connector-details">
        <Detail title="Checkpoint">
          {position === null ? <p class="muted">none yet</p> : <JsonTree value={position} path="the checkpoint" />}
        </Detail>
        <div>
          <Detail title={topics.length === 1 ? 'Topic' : 'Topics'}>
            <ul class="connector-topics">
              {topics.map((topic) => (
                <li key={topic}>
                  <a class="topic-link" href={linkTo(['topics', topic])}>
                    <TopicName name={topic} />
                  </a>
                </li>
              ))}
            </ul>
          </Detail>
          {state.endpoints.length > 0 && <Endpoints endpoints={state.endpoints} />}
        </div>
        <Reorganisations list={state.reorganisations} />
      </div>
    </article>
  )
}

function Numbers({ state }: { readonly state: ConnectorState }) {
  const { clock } = useExplorer()
  const { unit, final, rate, lastCommit } = state
  return (
    <dl class="connector-numbers">
      <Figure name="Unit">{unit === null ? none : grouped(unit)}</Figure>
      <Figure name="Final unit">{final === null ? none : grouped(final.unit)}</Figure>
      <Figure name="Last commit">
        {lastCommit === null ? (
          none
        ) : (
          <span class={isLate(state, clock.now.value) ? 'late' : ''}>
            <Time value={lastCommit} />
          </span>
        )}
      </Figure>
      <Figure name="Units/s">
        <span class="rate">
          <span>{short(rate.perSecond)}</span>
          <Sparkline values={rate.units} places={60} label={`${short(rate.perSecond)} units per second`} />
        </span>
      </Figure>
    </dl>
  )
}

const none = <span class="muted">–</span>

function Figure({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Behind({ source }: Pick<ConnectorState, 'source'>) {
  if (!source || source.lag <= 0) return null
  const { position, head, lag } = source
  return (
    <div class="behind">
      <p>
        <b>{grouped(lag)} behind</b>
        <span class="muted">
          at {grouped(position)} of {grouped(head)}
        </span>
      </p>
      <meter min={0} max={head} value={position} aria-label="Position in the source" />
    </div>
  )
}

function Detail({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section>
      <h3>{title}</h3>
      {children}
    </section>
  )
}

function Endpoints({ endpoints }: Pick<ConnectorState, 'endpoints'>) {
  return (
    <Detail title={endpoints.length === 1 ? 'Endpoint' : 'Endpoints'}>
      <ul class="endpoints">
        {endpoints.map(({ endpoint, up }) => (
          <li key={endpoint}>
            <bdi class="mono">{endpoint}</bdi>
            <span class={`health ${up ? 'good' : 'bad'}`}>{up ? 'up' : 'down'}</span>
          </li>
        ))}
      </ul>
    </Detail>
  )
}

function Reorganisations({ list }: { readonly list: ConnectorState['reorganisations'] }) {
  return (
    <Detail title="Reorganisations">
      {list.length === 0 ? (
        <p class="muted">none</p>
      ) : (
        <ol class="reorganisations">
          {list.map(({ time, topic, partition, first, last }) => (
            <li key={`${time} ${topic} ${partition} ${first}`}>
              <a href={linkTo(['topics', topic], { view: 'log', at: time })} title={`${topic}, partition ${partition}`}>
                <bdi>{topic.slice(topic.lastIndexOf('.') + 1)}</bdi>
                <span class="muted">
                  seq {grouped(first)} to {grouped(last)}, with the reverts
                </span>
                <Time value={time} />
              </a>
            </li>
          ))}
        </ol>
      )}
    </Detail>
  )
}
