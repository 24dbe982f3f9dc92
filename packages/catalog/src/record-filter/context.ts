import { excerpt, InvalidFilterError } from './invalid-filter.ts'
import type { Scope } from './source.ts'
import { type Syntax, showSyntax } from './syntax.ts'
import type { ListTerm, Term } from './term.ts'
import type { TopicTerms } from './topic-terms.ts'

/** Where a part of a filter is. */
export interface Context {
  readonly topic: TopicTerms
  /** Variables of `exists`. */
  readonly variables: ReadonlyMap<string, Term>
  /** The innermost one. */
  readonly scope: Scope
  readonly budget: PassBudget
}

/** Passes over lists and maps that are left. */
export interface PassBudget {
  passes: number
}

/** Of a filter, over lists and maps: what the evaluation of a record costs is proportional to its length. */
export const passLimit = 16

/** @throws {InvalidFilterError} */
export function countPass(context: Context, column: number): void {
  if (++context.budget.passes > passLimit)
    throw new InvalidFilterError(column, `a filter may look into lists and maps at most ${passLimit} times.`)
}

/** Passing over the same list for each item of another one would take too long. */
export function refuseOuterList(
  list: ListTerm,
  scopes: readonly Scope[],
  syntax: Syntax,
  { variables }: Context,
): void {
  if (scopes.every(({ depth }) => depth <= list.source.scope.depth)) return
  throw new InvalidFilterError(
    syntax.column,
    `${showSyntax(syntax)} would be searched for each item of another list. In exists(), search only lists of its variable (${excerpt([...variables.keys()].at(-1)!)}).`,
  )
}
