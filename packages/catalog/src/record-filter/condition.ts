import { MalformedMessageError } from '../wire/wire-reader.ts'
import type { Scope } from './source.ts'
import type { Operand } from './term.ts'
import type { Value } from './value.ts'

/** As in CEL, an error is the result only if nothing else decides. */
export const outcomes = { no: 0, yes: 1, error: 2 } as const
export type Outcome = (typeof outcomes)[keyof typeof outcomes]
export type Test = () => Outcome

export interface Condition {
  readonly test: Test
  /** All scopes that it depends on, but not that of the record. */
  readonly scopes: ReadonlySet<Scope>
  /** One of them is true if the condition is. `undefined`: not known. */
  readonly equalities: readonly Equality[] | undefined
}

/** A value of the record is a constant. */
export interface Equality {
  /** With an `id`. */
  readonly operand: Operand
  readonly value: Value
}

export function all(conditions: readonly Condition[]): Condition {
  const tests = conditions.map(({ test }) => test)
  return {
    test: () => {
      let outcome: Outcome = outcomes.yes
      for (const test of tests) {
        const found = test()
        if (found === outcomes.no) return found
        if (found === outcomes.error) outcome = found
      }
      return outcome
    },
    scopes: union(conditions),
    equalities: conditions.map(({ equalities }) => equalities).reduce(better),
  }
}

export function any(conditions: readonly Condition[]): Condition {
  const tests = conditions.map(({ test }) => test)
  const equalities = conditions.map((condition) => condition.equalities)
  return {
    test: () => {
      let outcome: Outcome = outcomes.no
      for (const test of tests) {
        const found = test()
        if (found === outcomes.yes) return found
        if (found === outcomes.error) outcome = found
      }
      return outcome
    },
    scopes: union(conditions),
    equalities: equalities.some((one) => !one) ? undefined : equalities.flatMap((one) => one!),
  }
}

export function not({ test, scopes }: Condition): Condition {
  return {
    test: () => {
      const found = test()
      return found === outcomes.error ? found : found === outcomes.yes ? outcomes.no : outcomes.yes
    },
    scopes,
    equalities: undefined,
  }
}

function union(conditions: readonly Condition[]): Set<Scope> {
  return new Set(conditions.flatMap(({ scopes }) => [...scopes]))
}

function better(one: Condition['equalities'], other: Condition['equalities']): Condition['equalities'] {
  if (!one || !other) return one ?? other
  const difference = rankOf(one) - rankOf(other)
  return difference > 0 || (difference === 0 && one.length <= other.length) ? one : other
}

function rankOf(equalities: readonly Equality[]): number {
  return Math.min(...equalities.map(({ operand }) => operand.type.rank))
}

/**
 * A condition without others in it.
 *
 * @param current - The scope in which it is tested. In a loop, it is tested once if it does not depend on it.
 */
export function leaf(
  scopes: readonly Scope[],
  current: Scope,
  test: Test,
  equalities?: Condition['equalities'],
): Condition {
  const deepest = scopes.reduce((one, other) => (one.depth >= other.depth ? one : other))
  const guardedTest = guarded(test)
  return {
    test: deepest.depth < current.depth ? remembered(guardedTest, deepest) : guardedTest,
    scopes: new Set(scopes),
    equalities,
  }
}

/** For a condition that is true only if the operand has one of the values. */
export function equalitiesOf(operand: Operand, values: readonly Value[]): Equality[] | undefined {
  const { id, type } = operand
  return id === undefined || type.rank === 0 ? undefined : values.map((value) => ({ operand, value }))
}

/** A value that cannot be read is an error. */
function guarded(test: Test): Test {
  return () => {
    try {
      return test()
    } catch (error) {
      if (error instanceof MalformedMessageError) return outcomes.error
      throw error
    }
  }
}

/** Tests once for each record, or each item of an outer list. */
function remembered(test: Test, scope: Scope): Test {
  let testedFor = -1
  let outcome: Outcome = outcomes.no
  return () => {
    if (testedFor !== scope.generation) {
      testedFor = scope.generation
      outcome = test()
    }
    return outcome
  }
}

/** Whether a test holds for one of the items that `items` moves over. An error counts if it holds for none. */
export function anyItem(items: { start(): void; next(): boolean }, test: Test): Outcome {
  let outcome: Outcome = outcomes.no
  for (items.start(); items.next(); ) {
    const found = test()
    if (found === outcomes.yes) return found
    if (found === outcomes.error) outcome = found
  }
  return outcome
}
