import type { RunObserver } from '@headrace/sdk'
import type { StatusLine } from '../logging/logger.ts'
import { createRate } from '../output/rate.ts'
import { count } from '../output/table.ts'

export function showProgress(status: StatusLine): { readonly observer: RunObserver; end(): void } {
  let committed = { units: 0, records: 0 }
  let source: { at: number; head: number } | undefined
  const unitRate = createRate()
  const recordRate = createRate()
  const sourceRate = createRate()
  const show = () => {
    const now = performance.now()
    const rates = [
      `${unitRate(now, committed.units).toFixed(1)} units/s`,
      `${Math.round(recordRate(now, committed.records))} records/s`,
    ]
    const parts = [`${count(committed.units, 'unit')}, ${count(committed.records, 'record')}`, rates.join(', ')]
    if (source) parts.push(...describeLag(source, sourceRate(now, source.at)))
    status.show(parts.join(' · '))
  }
  const timer = setInterval(show, 250)
  return {
    observer: {
      onCommit: ({ units, records }) => {
        committed = { units, records }
      },
      onProgress: (at, head) => {
        source = { at, head }
      },
    },
    end() {
      clearInterval(timer)
      status.clear()
    },
  }
}

function describeLag({ at, head }: { at: number; head: number }, perSecond: number): string[] {
  const behind = Math.max(0, head - at)
  const secondsLeft = behind / perSecond
  const left = behind > 0 && secondsLeft < 8_640_000 ? [`${formatSeconds(secondsLeft)} left`] : []
  return [`at ${at} of ${head}, ${behind} behind`, ...left]
}

function formatSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  return `${(seconds / 3600).toFixed(1)} h`
}
