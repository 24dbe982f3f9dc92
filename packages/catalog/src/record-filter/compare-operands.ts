import { outcomes, type Test } from './condition.ts'
import type { Read } from './operand.ts'
import type { Place } from './source.ts'
import type { Relation } from './syntax.ts'
import type { Operand } from './term.ts'
import { compareValues, type Value } from './value.ts'

export type Comparison = Exclude<Relation, 'in'>

/** As in CEL, null is equal to null only, and has no order. */
export function comparisonTest(relation: Comparison, one: Read, other: Read): Test {
  const holds = relationTests[relation]
  const isEquality = relation === '==' || relation === '!='
  return () => {
    const left = one()
    const right = other()
    if (left === null || right === null) {
      if (!isEquality) return outcomes.error
      return (left === right) === (relation === '==') ? outcomes.yes : outcomes.no
    }
    return holds(compareValues(left, right)) ? outcomes.yes : outcomes.no
  }
}

export const relationTests: Readonly<Record<Comparison, (order: number) => boolean>> = {
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}

/** With a constant, which takes less time. */
export function constantTest(relation: Comparison, operand: Operand, value: Value | null): Test {
  if (relation === '==' || relation === '!=') return equalityTest(operand, value, relation === '==')
  const { read } = operand
  if (typeof value === 'number' || typeof value === 'bigint') return orderTests[relation](read, value as number)
  return comparisonTest(relation, read, () => value)
}

function equalityTest(operand: Operand, value: Value | null, wanted: boolean): Test {
  const { place, type, read } = operand
  const [yes, no] = wanted ? [outcomes.yes, outcomes.no] : [outcomes.no, outcomes.yes]
  // Without an object for the bytes of each record. A value that is null is no empty one.
  if (place && value instanceof Uint8Array && !(type.nullable && value.length === 0))
    return () => (isSpan(place, value) ? yes : no)
  if (value === null || type.nullable || typeof value === 'object')
    return comparisonTest(wanted ? '==' : '!=', read, () => value)
  return () => (compareValues(read()!, value) === 0 ? yes : no)
}

function isSpan({ source, slot }: Place, wanted: Uint8Array): boolean {
  source.load()
  const { bytes, places } = source
  const { length } = wanted
  const start = places[slot]! - 1
  if (start === -1) return length === 0
  if (places[slot + 1]! - start !== length) return false
  for (let index = 0; index < length; index++) if (bytes[start + index] !== wanted[index]) return false
  return true
}

/** Of numbers. JavaScript compares numbers with bigints exactly. */
const orderTests: Readonly<Record<Exclude<Comparison, '==' | '!='>, (read: Read, constant: number) => Test>> = {
  '<': (read, constant) => () => {
    const value = read() as number | null
    return value === null ? outcomes.error : value < constant ? outcomes.yes : outcomes.no
  },
  '<=': (read, constant) => () => {
    const value = read() as number | null
    return value === null ? outcomes.error : value <= constant ? outcomes.yes : outcomes.no
  },
  '>': (read, constant) => () => {
    const value = read() as number | null
    return value === null ? outcomes.error : value > constant ? outcomes.yes : outcomes.no
  },
  '>=': (read, constant) => () => {
    const value = read() as number | null
    return value === null ? outcomes.error : value >= constant ? outcomes.yes : outcomes.no
  },
}
