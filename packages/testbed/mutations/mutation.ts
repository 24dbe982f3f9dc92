import { readFileSync } from 'node:fs'

/** A small defect of the code under test: a line or two that are replaced. */
export interface Mutation {
  /** What the code does then: "the claim is not read". */
  readonly name: string
  /** From the root of the repository. */
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
  /** The scenario that finds it. */
  readonly scenario: string
}

/** All of them. `SCENARIO.txt` has files, for each the names of its mutations, and lines that go (-) and come (+). */
export const mutations: readonly Mutation[] = [
  'publish',
  'connector',
  'transform',
  'gateway',
  'chain',
  'recreate',
].flatMap(readMutations)

function readMutations(scenario: string): Mutation[] {
  let file = ''
  const paragraphs = readFileSync(new URL(`${scenario}.txt`, import.meta.url), 'utf8')
    .trim()
    .split(/\n\n+/)
  return paragraphs.flatMap((paragraph) => {
    const [name = '', ...patch] = paragraph.split('\n')
    const linesWith = (sign: string) => patch.filter((line) => line[0] === sign).map((line) => line.slice(2))
    if (patch.length > 0)
      return { name, file, scenario, find: linesWith('-').join('\n'), replace: linesWith('+').join('\n') }
    file = name
    return []
  })
}

/** Throws unless the text to replace occurs exactly once. */
export function mutate(source: string, { name, file, find, replace }: Mutation): string {
  const [before, after, ...more] = source.split(find)
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(
      `The mutation "${name}" replaces ${JSON.stringify(find)}, which must occur exactly once in ${file}. ` +
        'The code has changed: adapt the mutation to it.',
    )
  return before + replace + after
}
