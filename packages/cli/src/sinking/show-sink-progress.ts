import { type SinkMeter, totalLag } from '@headrace/sink'
import type { StatusLine } from '../logging/logger.ts'
import { createRate } from '../output/rate.ts'
import { count } from '../output/table.ts'

export function showSinkProgress(status: StatusLine, meter: SinkMeter): { end(): void } {
  const rate = createRate()
  const timer = setInterval(() => {
    const { records, reverts } = meter
    const lag = totalLag(meter)
    const perSecond = Math.round(rate(performance.now(), records))
    const parts = [
      count(records, 'record'),
      ...(reverts > 0 ? [count(reverts, 'revert')] : []),
      `${perSecond} records/s`,
    ]
    if (lag !== undefined) parts.push(`${count(lag, 'record')} behind`)
    status.show(parts.join(' · '))
  }, 250)
  return {
    end() {
      clearInterval(timer)
      status.clear()
    },
  }
}
