import type { RpcLog } from '@headrace/evm'
import { type AnswerTemplate, createAnswerTemplate, type Identity } from './answer-template.ts'
import type { RecordedBlock } from './recording.ts'

/** Which logs `eth_getLogs` selects. */
export interface LogFilter {
  readonly address?: string | readonly string[]
  /** By position: one value, any of several, or any value at all. */
  readonly topics?: readonly (string | readonly string[] | null)[]
}

/** Selected logs of a block. */
export interface SelectedLogs {
  readonly count: number
  /** JSON of the logs, separated by commas. */
  readonly json: Buffer
}

export type SelectLogs = (filter: LogFilter, identity: () => Identity) => SelectedLogs

const mostFilters = 256
const noLogs: SelectedLogs = { count: 0, json: Buffer.alloc(0) }

/** Makes a template for each filter, because requests repeat filters for many blocks. */
export function createSelectLogs(recorded: RecordedBlock): SelectLogs {
  const logs = recorded.receipts.flatMap(({ logs }) => logs)
  const byFilter = new Map<string, { readonly count: number; readonly template: AnswerTemplate }>()
  return (filter, identity) => {
    if (logs.length === 0) return noLogs
    const key = JSON.stringify([filter.address, filter.topics])
    let selected = byFilter.get(key)
    if (!selected) {
      const matching = logs.filter((log) => isSelected(log, filter))
      selected = { count: matching.length, template: createAnswerTemplate(matching, recorded) }
      if (byFilter.size === mostFilters) byFilter.clear()
      byFilter.set(key, selected)
    }
    if (selected.count === 0) return noLogs
    return { count: selected.count, json: selected.template.fill(identity()).subarray(1, -1) }
  }
}

function isSelected(log: RpcLog, { address, topics = [] }: LogFilter): boolean {
  return (
    isAnyOf(log.address, address) &&
    topics.length <= log.topics.length &&
    log.topics.every((topic, index) => isAnyOf(topic, topics[index]))
  )
}

function isAnyOf(value: string, wanted: string | readonly string[] | null | undefined): boolean {
  return isAnything(wanted) || [wanted].flat().some((each) => each?.toLowerCase() === value.toLowerCase())
}

/** As in Geth, an empty list selects as `null` does. */
function isAnything(wanted: string | readonly string[] | null | undefined): boolean {
  return wanted === undefined || wanted === null || wanted.length === 0
}
