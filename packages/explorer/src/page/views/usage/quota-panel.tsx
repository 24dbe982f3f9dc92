import { useExplorer } from '../../explorer.ts'
import { bytes, duration, grouped } from '../../format/number.ts'
import type { Usage } from '../../service/types.ts'
import { exactTime } from '../../time/time.tsx'

const limits = [
  { name: 'requests', title: 'Requests', format: grouped },
  { name: 'records', title: 'Records', format: grouped },
  { name: 'bytes', title: 'Bytes', format: bytes },
] as const

/** What is left of the monthly quota. */
export function QuotaPanel({ quota }: { readonly quota: NonNullable<Usage['quota']> }) {
  const { clock } = useExplorer()
  const untilMs = Math.max(Date.parse(quota.resetsAt) - clock.now.value, 0)
  const given = limits.filter(({ name }) => quota[name])
  return (
    <section class="panel quota" aria-labelledby="quota">
      <header>
        <h2 id="quota">Quota of this month</h2>
        <time dateTime={quota.resetsAt} title={exactTime(quota.resetsAt)}>
          Resets in {duration(roundedDown(untilMs))}
        </time>
      </header>
      <dl>
        {given.map(({ name, title, format }) => (
          <QuotaLine key={name} title={title} format={format} {...quota[name]!} />
        ))}
      </dl>
    </section>
  )
}

interface QuotaLineProps {
  readonly title: string
  readonly limit: number
  readonly left: number
  readonly format: (value: number) => string
}

function QuotaLine({ title, limit, left, format }: QuotaLineProps) {
  const used = Math.max(limit - left, 0)
  const share = limit > 0 ? used / limit : 1
  const level = share >= 1 ? 'full' : share >= 0.8 ? 'high' : ''
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <span class="quota-numbers">
          <b>{format(used)}</b> of {format(limit)}
        </span>
        <meter class={level} min={0} max={1} value={Math.min(share, 1)} aria-label={`${title} used`} />
        <span class="muted">{left > 0 ? `${format(left)} left` : 'Used up'}</span>
      </dd>
    </div>
  )
}

/** To whole days, hours or minutes. */
function roundedDown(ms: number): number {
  const unit = [86_400_000, 3_600_000, 60_000].find((length) => ms >= length) ?? 1000
  return Math.floor(ms / unit) * unit
}
