import { useState } from 'preact/hooks'
import { grouped } from '../format/number.ts'
import { exactTime } from '../time/time.tsx'
import { CopyButton } from './copy-button.tsx'

interface JsonTreeProps {
  readonly value: unknown
  /** Where the value is: `value.Hash`. */
  readonly path: string
}

/** JSON as nested lists of names and values, each of which can be copied. */
export function JsonTree({ value, path }: JsonTreeProps) {
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
          <JsonMember key={name} name={name} value={value} path={isList ? `${path}[${name}]` : `${path}.${name}`} />
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

export function JsonMember({ name, value, path }: MemberProps) {
  const isNested = typeof value === 'object' && value !== null && Object.keys(value).length > 0
  return (
    <div class={isNested ? 'member nested' : 'member'}>
      <dt>{name}</dt>
      <dd>
        <JsonTree value={value} path={path} />
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
