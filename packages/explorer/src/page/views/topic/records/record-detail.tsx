import { useEffect, useRef, useState } from 'preact/hooks'
import { grouped } from '../../../format/number.ts'
import { CopyButton } from '../../../parts/copy-button.tsx'
import { Close } from '../../../parts/icons.tsx'
import { exactTime } from '../../../time/time.tsx'
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
  const { topic, seq } = record
  const shown = record as unknown as Readonly<Record<string, unknown>>
  return (
    <aside
      class="detail"
      ref={panel}
      tabIndex={-1}
      aria-label={`Record ${seq ?? ''}`}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <header>
        <h2>
          Record <span class="mono">{grouped(seq ?? '')}</span>
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
            ? 'The bytes of this record do not match the schema of the topic.'
            : 'The connector could not publish this message. The reason is in its dead letter.'}
        </p>
      )}
      <h3>Value</h3>
      <Tree value={record.value ?? record.raw ?? null} path="value" />
      <h3>Record</h3>
      <dl class="tree">
        {members
          .filter((name) => shown[name] !== undefined)
          .map((name) => (
            <Member key={name} name={name} value={shown[name]} path={name} />
          ))}
        <Member name="topic" value={topic} path="topic" />
      </dl>
    </aside>
  )
}

function Tree({ value, path }: { readonly value: unknown; readonly path: string }) {
  if (typeof value !== 'object' || value === null) return <Leaf value={value} path={path} />
  const entries = Object.entries(value)
  if (entries.length === 0) return <span class="muted">empty</span>
  return <Members entries={entries} path={path} isList={Array.isArray(value)} />
}

interface MembersProps {
  readonly entries: readonly (readonly [string, unknown])[]
  readonly path: string
  readonly isList: boolean
}

const firstMembers = 100

function Members({ entries, path, isList }: MembersProps) {
  const [count, setCount] = useState(firstMembers)
  return (
    <>
      <dl class="tree">
        {entries.slice(0, count).map(([name, value]) => (
          <Member key={name} name={name} value={value} path={isList ? `${path}[${name}]` : `${path}.${name}`} />
        ))}
      </dl>
      {entries.length > count && (
        <button type="button" class="button small" onClick={() => setCount(count + firstMembers)}>
          {grouped(entries.length - count)} more
        </button>
      )}
    </>
  )
}

interface MemberProps {
  readonly name: string
  readonly value: unknown
  readonly path: string
}

function Member({ name, value, path }: MemberProps) {
  const isNested = typeof value === 'object' && value !== null && Object.keys(value).length > 0
  return (
    <div class={isNested ? 'member nested' : 'member'}>
      <dt>{name}</dt>
      <dd>
        <Tree value={value} path={path} />
      </dd>
    </div>
  )
}

const shownLength = 500

function Leaf({ value, path }: { readonly value: unknown; readonly path: string }) {
  const [isWhole, setWhole] = useState(false)
  if (value === null || value === undefined) return <span class="muted">null</span>
  const text = String(value)
  const isTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)
  const isNumber = /^-?\d{1,20}$/.test(text)
  const isLong = text.length > shownLength && !isWhole
  return (
    <span class="leaf">
      <bdi class="mono" title={isTime ? exactTime(text) : undefined}>
        {isLong ? `${text.slice(0, shownLength)}…` : isNumber ? grouped(text) : text === '' ? '""' : text}
      </bdi>
      {isLong && (
        <button type="button" class="button small" onClick={() => setWhole(true)}>
          All {grouped(text.length)} characters
        </button>
      )}
      <CopyButton text={text} what={path} />
    </span>
  )
}
