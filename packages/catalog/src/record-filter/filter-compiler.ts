import { keyFormOf } from '../record-json/key-form.ts'
import { registeredMessage } from '../registry/registered-message.ts'
import type { TopicRegistration } from '../registry/registration.ts'
import { compileCondition } from './compile-condition.ts'
import { all, type Condition, outcomes } from './condition.ts'
import { createFilterIndex, type FilterIndex } from './filter-index.ts'
import { parseFilter } from './parse-filter.ts'
import type { RecordFilter } from './record-filter.ts'
import { formatSyntax } from './syntax.ts'
import { createTopicTerms, type TopicTerms } from './topic-terms.ts'

/**
 * Compiles the filters of a topic, which share what they have read of a record. The bytes of the last record are kept
 * until the next one.
 */
export interface FilterCompiler {
  /** @throws {InvalidFilterError} with the column, what was found and what is allowed. */
  compile(text: string): RecordFilter
  /** Matches what both match. They must be of this compiler. */
  and(one: RecordFilter, other: RecordFilter): RecordFilter
  /** For filters of this compiler. */
  createIndex(): FilterIndex
}

/** @throws {UserError} `invalid_schema`: the descriptors do not contain the registered message. */
export function createFilterCompiler(registration: TopicRegistration): FilterCompiler {
  const message = registeredMessage(registration)
  const keyForm = keyFormOf(message.fields.find(({ name }) => name === registration.key))
  return compilerOf(createTopicTerms({ message, keyForm, bytes: registration.bytes }))
}

export function compilerOf(topic: TopicTerms): FilterCompiler {
  const { record } = topic
  const conditions = new WeakMap<RecordFilter, Condition>()
  const conditionOf = (filter: RecordFilter): Condition => {
    const condition = conditions.get(filter)
    if (!condition) throw new TypeError(`The filter ${filter.text} was compiled for another topic.`)
    return condition
  }

  function createFilter(text: string, condition: Condition): RecordFilter {
    const { test } = condition
    const filter: RecordFilter = {
      text,
      matches(found) {
        record.set(found)
        const outcome = test()
        record.set(undefined)
        return outcome === outcomes.yes
      },
    }
    conditions.set(filter, condition)
    return filter
  }

  return {
    compile(text) {
      const syntax = parseFilter(text)
      const context = { topic, variables: new Map(), scope: record.scope, cost: { searches: 0 } }
      return createFilter(formatSyntax(syntax), compileCondition(syntax, context))
    },
    and(one, other) {
      if (one.text === other.text) return one
      return createFilter(`(${one.text}) && (${other.text})`, all([conditionOf(one), conditionOf(other)]))
    },
    createIndex: () => createFilterIndex(record, conditionOf),
  }
}
