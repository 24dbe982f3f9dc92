import { useComputed, useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { useExplorer } from '../../../explorer.ts'
import { grouped } from '../../../format/number.ts'
import { Chart } from '../../../parts/chart.tsx'
import { Pause, Play, Up } from '../../../parts/icons.tsx'
import { EmptyState, Failure, Loading } from '../../../parts/states.tsx'
import { linkTo } from '../../../route/route.ts'
import type { Topic } from '../../../service/types.ts'
import { columnsOf, fieldPaths } from './columns.ts'
import { FilterBox } from './filter-box.tsx'
import { JumpBox } from './jump-box.tsx'
import { RecordDetail } from './record-detail.tsx'
import { RecordTable } from './record-table.tsx'
import type { RecordRow } from './row.ts'
import { createTopicReader, type ReaderState, type TopicReader } from './topic-reader.ts'

export function RecordsTab({ topic }: { readonly topic: Topic }) {
  const { router, service } = useExplorer()
  const { filter = '', view: chosenView, at = '' } = router.route.value.query
  const view = chosenView === 'log' ? 'log' : 'canonical'
  const [attempt, setAttempt] = useState(0)
  const name = topic.topic
  const selection = [name, view, filter, at, attempt].join(' ')
  const [opened, setOpened] = useState<{ readonly reader: TopicReader; readonly selection: string }>()
  // The reader of an earlier selection is closed after this selection is drawn.
  const reader = opened?.selection === selection ? opened.reader : undefined
  useEffect(() => {
    const reader = createTopicReader({ service, topic: name, view, filter, at })
    setOpened({ reader, selection })
    return () => reader.close()
  }, [selection])
  const choose = (change: Readonly<Record<string, string>>) =>
    router.setQuery({ filter, view: chosenView, at, ...change })
  const names = useMemo(() => fieldPaths(topic.jsonSchema), [topic.jsonSchema])
  const example = names.find((path) => path !== `value.${topic.time}`)
  const state = reader?.state.value
  const filterProblem =
    state?.kind === 'failed' && state.error.code === 'invalid_filter' ? state.error.message : undefined
  return (
    <div class="records-tab">
      <div class="toolbar">
        <FilterBox
          filter={filter}
          problem={filterProblem}
          names={names}
          example={example}
          onChange={(filter) => choose({ filter })}
        />
        <fieldset class="segments" aria-label="View">
          {(['canonical', 'log'] as const).map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={view === each}
              title={viewTitles[each]}
              onClick={() => choose({ view: each })}
            >
              {each}
            </button>
          ))}
        </fieldset>
        <JumpBox at={at} onJump={(at) => choose({ at })} />
      </div>
      {reader && !filterProblem && (
        <Records
          key={selection}
          {...{ reader, topic, view, at }}
          onLive={() => choose({ at: '' })}
          onRetry={() => setAttempt(attempt + 1)}
        />
      )}
    </div>
  )
}

const viewTitles = {
  canonical: 'The records that are valid now',
  log: 'All that was published: reverted records and their reverts too',
}

interface RecordsProps {
  readonly reader: TopicReader
  readonly topic: Topic
  readonly view: 'canonical' | 'log'
  readonly at: string
  readonly onLive: () => void
  readonly onRetry: () => void
}

function Records({ reader, topic, view, at, onLive, onRetry }: RecordsProps) {
  const { clock } = useExplorer()
  const isPaused = useSignal(false)
  const isTop = useSignal(true)
  const openId = useSignal<string | undefined>(undefined)
  const isHeld = useComputed(() => isPaused.value || !isTop.value || openId.value !== undefined)
  useSignalEffect(() => reader.hold(isHeld.value))
  useSignalEffect(() => reader.setVisible(clock.isVisible.value))
  const rows = reader.rows.value
  // Without a schema, the records that are found first show what there is.
  const columns = useMemo(() => columnsOf(topic, rows), [topic.jsonSchema, rows.length > 0])
  const state = reader.state.value
  const opened = openId.value === undefined ? undefined : rows.find(({ id }) => id === openId.value)
  const close = () => {
    const id = openId.value
    openId.value = undefined
    document.querySelector<HTMLElement>(`tr[data-id="${id}"]`)?.focus()
  }
  const follow = () => {
    isPaused.value = false
    openId.value = undefined
    isTop.value = true
    document.querySelector('.records-scroller')?.scrollTo({ top: 0 })
  }
  const pause = () => {
    isPaused.value = true
  }
  const waiting = reader.waiting.value
  return (
    <>
      <div class="live-bar">
        <StateMark state={state} isHeld={isHeld.value} />
        {at === '' && <Counts reader={reader} />}
        <span class="live-actions">
          {at !== '' ? (
            <button type="button" class="button small" onClick={onLive}>
              <Play size={12} /> Follow live
            </button>
          ) : (
            <button
              type="button"
              class="button small"
              aria-pressed={isPaused.value}
              onClick={() => (isHeld.value ? follow() : pause())}
            >
              {isHeld.value ? <Play size={12} /> : <Pause size={12} />}
              {isHeld.value ? 'Follow' : 'Pause'}
            </button>
          )}
        </span>
      </div>
      {at === '' && <ActivityChart reader={reader} />}
      <div class={opened ? 'records-area with-detail' : 'records-area'}>
        {state.kind === 'failed' && rows.length === 0 ? (
          <Failure error={state.error} retry={onRetry} />
        ) : state.kind === 'loading' && rows.length === 0 ? (
          <Loading rows={10} />
        ) : rows.length === 0 ? (
          <EmptyState title="No records here">
            <p>{at ? 'There are none around this position.' : 'New records appear as soon as they are published.'}</p>
          </EmptyState>
        ) : (
          <RecordTable
            {...{ rows, columns }}
            showsOp={view === 'log'}
            selected={openId.value}
            startId={reader.startId.value}
            hasOlder={reader.hasOlder.value}
            hasNewer={reader.hasNewer.value}
            onOpen={({ id }) => {
              openId.value = id
            }}
            onTop={(top) => {
              isTop.value = top
            }}
            onNearOldest={() => void reader.loadOlder()}
            onNearNewest={() => void reader.loadNewer()}
          />
        )}
        {waiting > 0 && (
          <button type="button" class="button primary newer" onClick={follow}>
            <Up size={12} /> {grouped(waiting)} newer
          </button>
        )}
        {opened?.kind === 'record' && (
          <RecordDetail row={opened as RecordRow} link={surroundings(opened, view)} onClose={close} />
        )}
      </div>
    </>
  )
}

function surroundings({ record: { topic, cursor } }: RecordRow, view: string): string {
  return linkTo(['topics', topic], { at: cursor, view: view === 'log' ? view : undefined })
}

function StateMark({ state, isHeld }: { readonly state: ReaderState; readonly isHeld: boolean }) {
  const kind = state.kind === 'live' && isHeld ? 'held' : state.kind
  return (
    <span class={`state-mark ${kind}`} role="status" title={'error' in state ? state.error.message : undefined}>
      <i aria-hidden="true" />
      {stateTexts[kind]}
      {'error' in state && <span class="muted reason">{state.error.message}</span>}
    </span>
  )
}

const stateTexts = {
  loading: 'Connecting …',
  live: 'Live',
  held: 'Held',
  history: 'History',
  reconnecting: 'Reconnecting …',
  failed: 'Stopped',
}

function ActivityChart({ reader }: { readonly reader: TopicReader }) {
  const { seconds, appended, reverted } = reader.activity.value
  return (
    <div class="activity">
      <Chart
        seconds={seconds}
        series={[
          { label: 'records/s', values: appended, colour: 'accent', kind: 'bars' },
          { label: 'reverts/s', values: reverted, colour: 'warn', kind: 'bars' },
        ]}
        height={84}
        label="Records and reverts per second, in the last five minutes"
      />
    </div>
  )
}

function Counts({ reader }: { readonly reader: TopicReader }) {
  const { appended, reverted } = reader.counted.value
  return (
    <span class="counts">
      <span>
        <b>{grouped(appended)}</b> since opened
      </span>
      {reverted > 0 && (
        <span class="reverts">
          <b>{grouped(reverted)}</b> reverted
        </span>
      )}
    </span>
  )
}
