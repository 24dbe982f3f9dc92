import { excerpt, InvalidFilterError } from './invalid-filter.ts'
import type { Scope } from './source.ts'
import { type Syntax, showSyntax } from './syntax.ts'
import type { Term } from './term.ts'
import type { TopicTerms } from './topic-terms.ts'

/** Where a part of a filter is. */
export interface Context {
  readonly topic: TopicTerms
  /** Variables of `exists`. */
  readonly variables: ReadonlyMap<string, Term>
  /** The innermost one. */
  readonly scope: Scope
  readonly cost: FilterCost
}

/** Of a comparison. */
export interface Sides {
  readonly left: Syntax
  readonly right: Syntax
  readonly context: Context
}

/** Grows while a filter is compiled. */
export interface FilterCost {
  /** Searches of lists and maps, and conditions on their items. */
  searches: number
}

/** So the time that a filter takes is bounded by the length of the record. */
const searchLimit = 32

/** @throws {InvalidFilterError} */
export function countSearch({ cost }: Context, column: number): void {
  if (++cost.searches > searchLimit)
    throw new InvalidFilterError(
      column,
      `a filter may search lists and maps, and test their items, with at most ${searchLimit} conditions.`,
    )
}

/** Passing over the same list for each item of another one would take too long. */
export function refuseOuterList(
  { depth: listDepth }: Scope,
  scopes: readonly Scope[],
  syntax: Syntax,
  { variables }: Context,
): void {
  if (scopes.every(({ depth }) => depth <= listDepth)) return
  throw new InvalidFilterError(
    syntax.column,
    `${showSyntax(syntax)} would be searched for each item of another list. In exists(), search only lists of its variable (${excerpt([...variables.keys()].at(-1)!)}).`,
  )
}
