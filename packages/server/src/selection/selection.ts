import type { FilterCompiler, RecordFilter } from '@headrace/catalog'
import type { QueueRecord } from '@headrace/queue'
import { LRUCache } from 'lru-cache'
import { RefusedError } from '../errors.ts'
import { memoize } from '../memoize.ts'
import type { ServedTopic } from '../topics/served-topic.ts'

/** Which records of a topic a reader gets, and which fields of their values. */
export interface Selection {
  /** Equal for equal selections of a topic. */
  readonly text: string
  /** Absent: every record. */
  readonly filter: RecordFilter | undefined
  /** Of the filter. */
  readonly compiler: FilterCompiler
  /** Absent: every field. */
  readonly fields: readonly string[] | undefined
  /** Renders a record with these fields, without the cursor. */
  render(record: QueueRecord): Uint8Array
}

export interface SelectionRequest {
  readonly filter?: string | undefined
  /** Names of fields, separated by commas. */
  readonly fields?: string | undefined
  /** The filter of a token. It holds in addition to the other one. */
  readonly permitted?: string | undefined
}

const keptSelections = 1000

/**
 * The selection that a request asks for; `undefined`: all of every record. Equal requests get the same object while it is
 * in use.
 *
 * @throws {InvalidFilterError}
 * @throws {UserError} `invalid_fields`
 * @throws {RefusedError} `topic_forbidden`: the filter of the token does not fit the topic.
 */
export function selectionOf(topic: ServedTopic, request: SelectionRequest): Selection | undefined {
  if (request.filter === undefined && request.fields === undefined && request.permitted === undefined) return undefined
  return selectorOf(topic)(request)
}

const selectorOf = memoize(({ format, name }: ServedTopic) => {
  const compiler = format.createFilterCompiler()
  const filters = new LRUCache<string, RecordFilter>({ max: keptSelections })
  const renderWhole = format.createRenderer().render
  const selections = new LRUCache<string, Selection>({ max: keptSelections })
  const kept = <Value extends object>(cache: LRUCache<string, Value>, text: string, make: () => Value): Value => {
    const known = cache.get(text)
    if (known) return known
    const made = make()
    cache.set(text, made)
    return made
  }
  return (request: SelectionRequest): Selection =>
    kept(selections, JSON.stringify([request.filter, request.fields, request.permitted]), () => make(request))

  function make({ filter, fields, permitted }: SelectionRequest): Selection {
    const compiled = filterOf(filter, permitted)
    const names = fields === undefined ? undefined : format.parseFields(fields)
    const text = JSON.stringify([compiled?.text, names])
    return kept(selections, text, () => ({
      text,
      filter: compiled,
      compiler,
      fields: names,
      render: names ? format.createRenderer({ fields: names }).render : renderWhole,
    }))
  }

  function filterOf(requested: string | undefined, permitted: string | undefined): RecordFilter | undefined {
    const limit = permitted === undefined ? undefined : compilePermitted(permitted)
    const asked = requested === undefined ? undefined : compiler.compile(requested)
    const filter = limit && asked ? compiler.and(limit, asked) : (limit ?? asked)
    return filter && kept(filters, filter.text, () => filter)
  }

  function compilePermitted(permitted: string): RecordFilter {
    try {
      return compiler.compile(permitted)
    } catch (cause) {
      const { message } = cause as Error
      throw new RefusedError('topic_forbidden', `The filter of this token does not fit the topic. ${message}`, {
        members: { topic: name },
        cause,
      })
    }
  }
})
