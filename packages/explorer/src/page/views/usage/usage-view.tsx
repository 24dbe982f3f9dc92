import { useMemo } from 'preact/hooks'
import { useExplorer } from '../../explorer.ts'
import { bytes, grouped, short } from '../../format/number.ts'
import { Chart, type ChartSeries } from '../../parts/chart.tsx'
import { timeLabel } from '../../parts/chart-data.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Outdated } from '../../parts/outdated.tsx'
import { Failure, Loading } from '../../parts/states.tsx'
import type { Usage } from '../../service/types.ts'
import { usePolled } from '../../service/use-polled.ts'
import { exactTime } from '../../time/time.tsx'
import { QuotaPanel } from './quota-panel.tsx'
import { periodsOf, type UsageCounts, type UsagePeriod } from './usage-hours.ts'

const ranges = [
  { name: '24h', title: '24 hours', length: 'hour' },
  { name: '7d', title: '7 days', length: 'hour' },
  { name: '31d', title: '31 days', length: 'day' },
] as const

/** Each request counts as one of the key, so there are few. */
const everyMs = 30_000

export function UsageView() {
  const { service, router } = useExplorer()
  const { query } = router.route.value
  const range = ranges.find(({ name }) => name === query.range) ?? ranges[0]
  const usage = usePolled((signal) => service.usage(`-${range.name}`, signal), {
    ...{ everyMs, key: range.name },
  })
  return (
    <div class="page usage">
      <Outdated {...usage} />
      <div class="page-head">
        <div>
          <h1>Usage</h1>
          <p class="usage-key">{usage.value ? <KeyName usage={usage.value} /> : 'of this key'}</p>
        </div>
        <fieldset class="segments" aria-label="Time range">
          {ranges.map(({ name, title }) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === range.name}
              onClick={() => router.setQuery({ ...query, range: name })}
            >
              {title}
            </button>
          ))}
        </fieldset>
      </div>
      {usage.value ? (
        <>
          {usage.value.quota && <QuotaPanel quota={usage.value.quota} />}
          <Counts usage={usage.value} length={range.length} rangeTitle={range.title} />
        </>
      ) : usage.error ? (
        <Failure error={usage.error} retry={usage.retry} />
      ) : (
        <Loading />
      )}
    </div>
  )
}

function KeyName({ usage: { key } }: { readonly usage: Usage }) {
  return (
    <>
      Key <bdi class="key-name">{key.name}</bdi> <code>{key.id}</code>
      <CopyButton text={key.id} what="the id of the key" />
    </>
  )
}

interface Metric {
  readonly name: keyof UsageCounts
  readonly title: string
  readonly format: (value: number) => string
  readonly exact: (value: number) => string
}

const metrics: readonly Metric[] = [
  { name: 'requests', title: 'Requests', format: short, exact: grouped },
  { name: 'records', title: 'Records sent', format: short, exact: grouped },
  { name: 'bytes', title: 'Bytes sent', format: bytes, exact: (value) => `${grouped(value)} bytes` },
  { name: 'refused', title: 'Refused by limits', format: short, exact: grouped },
]

interface CountsProps {
  readonly usage: Usage
  readonly length: 'hour' | 'day'
  readonly rangeTitle: string
}

function Counts({ usage, length, rangeTitle }: CountsProps) {
  const { router } = useExplorer()
  const { query } = router.route.value
  const metric = metrics.find(({ name }) => name === query.show) ?? metrics[0]!
  const periods = useMemo(() => periodsOf(usage, length), [usage, length])
  const seconds = useMemo(() => periods.map(({ second }) => second), [periods])
  const series = useMemo(() => seriesOf(metric, periods), [metric, periods])
  return (
    <>
      <div class="panel usage-panel">
        <fieldset class="metrics" aria-label="Shown in the chart">
          {metrics.map(({ name, title, format, exact }) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === metric.name}
              title={exact(usage.total[name])}
              onClick={() => router.setQuery({ ...query, show: name })}
            >
              <span>{title}</span>
              <strong class={name === 'refused' && usage.total.refused > 0 ? 'some-refused' : ''}>
                {format(usage.total[name])}
              </strong>
            </button>
          ))}
        </fieldset>
        <Chart
          {...{ seconds, series, height: 260, format: metric.format }}
          label={`${metric.title} per ${length} in the last ${rangeTitle}. The table below has the numbers.`}
        />
      </div>
      <UsageTable periods={periods} length={length} />
    </>
  )
}

function seriesOf({ name, title }: Metric, periods: readonly UsagePeriod[]): readonly ChartSeries[] {
  const values = (wanted: keyof UsageCounts) => periods.map((period) => period[wanted])
  if (name === 'refused') return [{ label: title, values: values('refused'), colour: 'bad', kind: 'bars' }]
  const first = { label: title, values: values(name), colour: 'accent', kind: 'bars' } as const
  const hasRefused = name === 'requests' && periods.some(({ refused }) => refused > 0)
  return hasRefused ? [first, { label: 'Refused', values: values('refused'), colour: 'bad', kind: 'bars' }] : [first]
}

function UsageTable({ periods, length }: { readonly periods: readonly UsagePeriod[]; readonly length: string }) {
  const used = periods.filter(({ requests, refused, records, connectionSeconds }) => {
    return requests + refused + records + connectionSeconds > 0
  })
  const title = length === 'day' ? 'By day' : 'By hour'
  return (
    <div class="usage-table">
      <h2 id="usage-table">{title}</h2>
      {used.length === 0 ? (
        <p class="muted">The key was not used in this time.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it.
        <section class="panel scroll-x" tabIndex={0} aria-labelledby="usage-table">
          <table class="grid-table">
            <thead>
              <tr>
                <th scope="col">{length === 'day' ? 'Day' : 'Hour'}</th>
                {['Requests', 'Refused', 'Records', 'Bytes', 'Connected'].map((name) => (
                  <th scope="col" class="number" key={name}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {used.toReversed().map((period) => (
                <UsageRow key={period.second} period={period} isDay={length === 'day'} />
              ))}
            </tbody>
          </table>
        </section>
      )}
    </div>
  )
}

function UsageRow({ period, isDay }: { readonly period: UsagePeriod; readonly isDay: boolean }) {
  const iso = new Date(period.second * 1000).toISOString()
  return (
    <tr>
      <th scope="row">
        <time dateTime={iso} title={exactTime(iso)}>
          {timeLabel(period.second, isDay)}
        </time>
      </th>
      <td class="number">{grouped(period.requests)}</td>
      <td class={`number ${period.refused > 0 ? 'some-refused' : 'muted'}`}>{grouped(period.refused)}</td>
      <td class="number">{grouped(period.records)}</td>
      <td class="number" title={`${grouped(period.bytes)} bytes`}>
        {bytes(period.bytes)}
      </td>
      <td class="number" title="Open WebSocket and SSE connections, added up">
        {connectedText(period.connectionSeconds)}
      </td>
    </tr>
  )
}

function connectedText(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  if (hours > 0) return `${grouped(hours)} h ${minutes} min`
  return minutes > 0 ? `${minutes} min` : `${seconds} s`
}
