import { useEffect, useRef } from 'preact/hooks'
import { grouped } from '../../../format/number.ts'
import { CopyButton } from '../../../parts/copy-button.tsx'
import { Close } from '../../../parts/icons.tsx'
import { JsonMember, JsonTree } from '../../../parts/json-tree.tsx'
import type { RecordRow } from './row.ts'

interface RecordDetailProps {
  readonly row: RecordRow
  readonly link: string
  readonly onClose: () => void
}

const members = ['time', 'key', 'op', 'reverts', 'partition', 'seq', 'unit', 'offset', 'skipped', 'cursor'] as const

export function RecordDetail({ row: { record, isReverted }, link, onClose }: RecordDetailProps) {
  const panel = useRef<HTMLElement>(null)
  useEffect(() => panel.current?.focus(), [record])
  const { topic, seq, offset } = record
  const shown = record as unknown as Readonly<Record<string, unknown>>
  return (
    <aside
      class="detail"
      ref={panel}
      tabIndex={-1}
      aria-label={`Record ${seq ?? offset}`}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <header>
        <h2>
          Record <span class="mono">{grouped(seq ?? offset)}</span>
        </h2>
        {isReverted && <span class="tag revert">reverted</span>}
        {record.op === 'revert' && <span class="tag revert">revert</span>}
        <button
          type="button"
          class="button plain icon small"
          title="Close (Esc)"
          aria-label="Close the record"
          onClick={onClose}
        >
          <Close />
        </button>
      </header>
      <p class="detail-actions">
        <CopyButton text={JSON.stringify(record, null, 2)} what="the record as JSON" labelled />
        <a class="button small plain" href={link}>
          Show its surroundings
        </a>
      </p>
      {record.error && (
        <p class="problem">
          {record.error.code === 'decode_failed'
            ? `The bytes of this record cannot be decoded${record.error.message === undefined ? '.' : `: ${record.error.message}.`}`
            : 'The connector could not publish this message. The reason is in its dead letter.'}
        </p>
      )}
      <h3>Value</h3>
      <JsonTree value={record.value ?? record.raw ?? null} path="value" />
      <h3>Record</h3>
      <dl class="tree">
        {members
          .filter((name) => shown[name] !== undefined)
          .map((name) => (
            <JsonMember key={name} name={name} value={shown[name]} path={name} />
          ))}
        <JsonMember name="topic" value={topic} path="topic" />
      </dl>
    </aside>
  )
}
