import { grouped } from '../../../format/number.ts'
import { beginning, shortHex } from '../../../format/shorten.ts'
import { Time } from '../../../time/time.tsx'
import type { ValueKind } from './columns.ts'

/** A value in one line of the table. The whole of it is in the detail of the record. */
export function Cell({ value, kind }: { readonly value: unknown; readonly kind: ValueKind }) {
  if (value === undefined || value === null) return <span class="muted">–</span>
  if (Array.isArray(value))
    return <span class="muted">{value.length === 0 ? 'empty' : `${grouped(value.length)} items`}</span>
  if (typeof value === 'object') return <span class="muted">{beginning(Object.keys(value).join(', '), 40)}</span>
  const text = String(value)
  if (kind === 'time') return <Time value={text} />
  if (kind === 'integer') return <span>{grouped(beginning(text, 40))}</span>
  if (/^0x[0-9a-f]*$/i.test(text.slice(0, 100))) return <span title={text.slice(0, 200)}>{shortHex(text, 6)}</span>
  return <bdi>{beginning(text, 80)}</bdi>
}
