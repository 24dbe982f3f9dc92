import type { Checkpoint, NextSeqs } from '@headrace/catalog'
import type { MessageTopic } from '../start/message-topic.ts'
import { checkpointJson } from './checkpoint-json.ts'
import { createHistory, type History } from './history.ts'

export interface TopicCounters {
  readonly nextSeq: number[]
  readonly time: number[]
}

export interface RunState {
  readonly history: History
  readonly nextUnit: number
  readonly final: Checkpoint['final']
  /** Seqs at which the revertible records begin; `null` where all are revertible. */
  readonly revertible: NextSeqs | null
  /** By topic. */
  readonly counters: ReadonlyMap<string, TopicCounters>
  endUnit(unit: { readonly checkpoint: unknown; readonly final?: unknown }): Checkpoint
  /** As `endUnit`, for a unit after which the source begins from its start: no unit before it can be reverted to. */
  endUnitFromStart(): Checkpoint
}

export interface CommittedState {
  readonly newest: Checkpoint | undefined
  readonly history: readonly Checkpoint[]
}

export function createRunState(
  { newest: checkpoint, history: checkpoints }: CommittedState,
  topics: Iterable<Pick<MessageTopic, 'topic' | 'partitions'>>,
): RunState {
  const history = createHistory(checkpoints)
  const byTopic = new Map<string, TopicCounters>()
  for (const [topic, nextSeq] of Object.entries(checkpoint?.nextSeq ?? {})) {
    byTopic.set(topic, { nextSeq: [...nextSeq], time: [...(checkpoint?.time[topic] ?? [])] })
  }
  for (const { topic, partitions } of topics) {
    const counters = byTopic.get(topic) ?? { nextSeq: [], time: [] }
    for (const list of [counters.nextSeq, counters.time]) while (list.length < partitions) list.push(0)
    byTopic.set(topic, counters)
  }
  let nextUnit = (checkpoint?.unit ?? 0) + 1
  let final = checkpoint?.final ?? null

  return {
    history,
    get nextUnit() {
      return nextUnit
    },
    get final() {
      return final
    },
    get revertible() {
      return final === null && history.reachesStart() ? null : (history.oldest()?.nextSeq ?? null)
    },
    counters: byTopic,
    endUnit(unit) {
      const json = checkpointJson(unit.checkpoint, 'checkpoint')
      const position: unknown = JSON.parse(json)
      const nextSeq = copyCounters(byTopic, 'nextSeq')
      const previous = history.newest() ?? null
      history.add({ unit: nextUnit, previous, position, json, nextSeq })
      final = moveFinal(final, history, unit.final)
      return { position, unit: nextUnit++, previous, nextSeq, final, time: copyCounters(byTopic, 'time') }
    },
    endUnitFromStart() {
      history.forgetAfter(null)
      const counters = { nextSeq: copyCounters(byTopic, 'nextSeq'), time: copyCounters(byTopic, 'time') }
      return { position: null, fromStart: true, unit: nextUnit++, previous: null, final, ...counters }
    },
  }
}

function moveFinal(final: Checkpoint['final'], history: History, checkpoint: unknown): Checkpoint['final'] {
  if (checkpoint === undefined) return final
  const found = history.find(checkpointJson(checkpoint, 'final'))
  if (!found || found.unit <= (final?.unit ?? 0)) return final
  history.forgetBefore(found.unit)
  return { unit: found.unit, nextSeq: found.nextSeq }
}

function copyCounters(byTopic: ReadonlyMap<string, TopicCounters>, of: keyof TopicCounters): NextSeqs {
  const copy: Record<string, readonly number[]> = {}
  for (const [topic, counters] of byTopic) copy[topic] = counters[of].slice()
  return copy
}
