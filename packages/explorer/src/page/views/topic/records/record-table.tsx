import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Time } from '../../../time/time.tsx'
import { Cell } from './cell.tsx'
import { type Column, widthOf } from './columns.ts'
import type { RecordRow, Row } from './row.ts'

export interface RecordTableProps {
  /** The oldest first. The newest is shown at the top. */
  readonly rows: readonly Row[]
  readonly columns: readonly Column[]
  readonly showsOp: boolean
  readonly selected: string | undefined
  /** The row to begin at, once it is known. */
  readonly startId: string | undefined
  readonly hasOlder: boolean
  readonly hasNewer: boolean
  /** Of a row that the keyboard or the pointer opens. */
  readonly onOpen: (row: RecordRow) => void
  /** Whether the newest row is at the top of the view. */
  readonly onTop: (isTop: boolean) => void
  readonly onNearOldest: () => void
  readonly onNearNewest: () => void
}

const rowHeight = 30
/** Rows above and below those in view. */
const margin = 8
const pageRows = 15
/** Rows whose values decide how wide the columns are. */
const sampleRows = 100

export function RecordTable(props: RecordTableProps) {
  const { rows, columns, selected, startId, hasOlder, hasNewer } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 600 })
  const [active, setActive] = useState<string>()
  // The row that gets the focus once it is drawn. A key that is pressed until then moves on from it.
  const next = useRef<string | undefined>(undefined)
  const newest = useRef<string | undefined>(undefined)

  // Rows that are added at the top do not move those in view.
  useLayoutEffect(() => {
    const element = scroller.current!
    const before = newest.current
    newest.current = rows.at(-1)?.id
    if (before === undefined || before === newest.current || element.scrollTop < rowHeight) return
    const added = rows.length - 1 - rows.findLastIndex(({ id }) => id === before)
    if (added < rows.length) element.scrollTop += added * rowHeight
  }, [rows])

  useLayoutEffect(() => {
    const element = scroller.current!
    const index = rows.length - 1 - rows.findLastIndex(({ id }) => id === startId)
    if (startId !== undefined) element.scrollTop = (index + 2) * rowHeight - element.clientHeight / 2
  }, [startId])

  useEffect(() => {
    const element = scroller.current!
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight })
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const onScroll = () => {
    const { scrollTop, clientHeight, scrollHeight } = scroller.current!
    setView({ top: scrollTop, height: clientHeight })
    props.onTop(scrollTop < rowHeight)
    if (hasOlder && scrollTop + clientHeight > scrollHeight - 20 * rowHeight) props.onNearOldest()
    if (hasNewer && scrollTop < 10 * rowHeight) props.onNearNewest()
  }

  // Columns do not move while the rows do.
  const valueWidths = useMemo(() => columns.map((column) => widthOf(column, rows.slice(-sampleRows))), [columns])
  const count = rows.length
  const first = Math.max(0, Math.floor(view.top / rowHeight) - margin)
  const last = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + margin)
  const shown = Array.from({ length: Math.max(0, last - first) }, (_, index) => rows[count - 1 - first - index]!)
  const activeIndex = active === undefined ? -1 : count - 1 - rows.findLastIndex(({ id }) => id === active)
  // The keyboard enters the table at the active row, or at the first one in view.
  const entered = activeIndex >= first && activeIndex < last ? active : shown[Math.min(margin, shown.length - 1)]?.id
  const entry = view.top === 0 && activeIndex < 0 ? shown[0]?.id : entered

  const moveTo = (index: number) => {
    const to = Math.min(Math.max(index, 0), count - 1)
    const row = rows[count - 1 - to]
    if (!row) return
    const element = scroller.current!
    const head = rowHeight + 2
    if (to * rowHeight < element.scrollTop) element.scrollTop = to * rowHeight
    else if ((to + 1) * rowHeight + head > element.scrollTop + element.clientHeight)
      element.scrollTop = (to + 1) * rowHeight + head - element.clientHeight
    next.current = row.id
    setActive(row.id)
  }
  useLayoutEffect(() => {
    if (next.current === undefined) return
    const element = scroller.current!.querySelector<HTMLElement>('tr[data-active="true"]')
    if (!element) return
    next.current = undefined
    element.focus({ preventScroll: true })
  })

  const onKeyDown = (event: KeyboardEvent) => {
    const focused = next.current ?? (event.target as HTMLElement).closest('tr')?.dataset.id
    // Without a row, because that which had the focus is no longer shown: at the top of the view.
    const from =
      focused === undefined
        ? Math.ceil(view.top / rowHeight) - 1
        : count - 1 - rows.findLastIndex(({ id }) => id === focused)
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: from + 1,
      ArrowUp: from - 1,
      PageDown: from + pageRows,
      PageUp: from - pageRows,
      Home: 0,
      End: count - 1,
    }
    const to = steps[event.key]
    if (to !== undefined) {
      event.preventDefault()
      moveTo(to)
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault()
      open(rows[count - 1 - from])
    }
  }
  const open = (row: Row | undefined) => {
    if (row?.kind !== 'record') return
    setActive(row.id)
    props.onOpen(row)
  }

  // Programs other than connectors do not number their records.
  const isNumbered = !rows.some((row) => row.kind === 'record' && row.record.seq === null)
  const widths = [104, 104, 176, ...(props.showsOp ? [72] : []), ...valueWidths]
  return (
    <div class="records-scroller" ref={scroller} onScroll={onScroll} tabIndex={-1}>
      <table
        class="records"
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the keyboard moves between its rows.
        role="grid"
        aria-label="Records, the newest first"
        aria-rowcount={count + 1}
        style={{ width: `${widths.reduce((sum, width) => sum + width, 0)}px` }}
        tabIndex={-1}
        onKeyDown={onKeyDown}
      >
        <colgroup>
          {widths.map((width, index) => (
            <col key={index} style={{ width: `${width}px` }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            <th scope="col" class="number">
              {isNumbered ? 'seq' : 'offset'}
            </th>
            <th scope="col">time</th>
            <th scope="col">key</th>
            {props.showsOp && <th scope="col">op</th>}
            {columns.map(({ name, kind, description }) => (
              <th
                key={name}
                scope="col"
                class={kind === 'integer' || kind === 'number' ? 'number' : ''}
                title={description}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody style={{ '--above': `${first * rowHeight}px`, '--below': `${(count - last) * rowHeight}px` }}>
          {shown.map((row, index) =>
            row.kind === 'gap' ? (
              <tr
                key={row.id}
                class="gap"
                data-id={row.id}
                data-active={row.id === active}
                tabIndex={row.id === entry ? 0 : -1}
              >
                <td colSpan={widths.length}>
                  <span>{row.text}</span>
                </td>
              </tr>
            ) : (
              <tr
                key={row.id}
                class={`${row.id === startId ? 'start' : ''} ${row.isReverted ? 'reverted' : ''} ${row.record.op === 'revert' ? 'revert' : ''} ${row.record.error ? 'broken' : ''}`}
                data-id={row.id}
                data-active={row.id === active}
                aria-rowindex={first + index + 2}
                aria-selected={row.id === selected}
                tabIndex={row.id === entry ? 0 : -1}
                onClick={() => open(row)}
              >
                <Cells row={row} {...props} />
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  )
}

function Cells({ row, columns, showsOp }: { readonly row: RecordRow } & RecordTableProps) {
  const { record, isReverted } = row
  const value = record.value ?? {}
  return (
    <>
      <td class="number">
        <Cell value={record.seq ?? record.offset} kind="integer" />
      </td>
      <td>
        <Time value={record.time} />
        {isReverted && <span class="hidden-text"> reverted</span>}
      </td>
      <td>
        <Cell value={record.key} kind="text" />
      </td>
      {showsOp && (
        <td>{record.op === 'revert' ? <span class="tag revert">revert</span> : <span class="muted">append</span>}</td>
      )}
      {record.error && (
        <td colSpan={columns.length}>
          <span class="tag bad">{record.error.code}</span>
        </td>
      )}
      {!record.error &&
        columns.map(({ name, kind }) => (
          <td key={name} class={kind === 'integer' || kind === 'number' ? 'number' : ''}>
            <Cell value={value[name]} kind={kind} />
          </td>
        ))}
    </>
  )
}
