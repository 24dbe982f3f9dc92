import { readFileSync } from 'node:fs'

/** A small defect of the code under test, made by replacing a line or two. */
export interface Mutation {
  /** The resulting behaviour: "the claim is not read". */
  readonly name: string
  /** Path from the root of the repository. */
  readonly file: string
  /** It occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
  /** The scenario that detects it. */
  readonly scenario: string
}

/**
 * All mutations. `SCENARIO.txt` lists files, for each of them names of mutations, and removed (-) and added (+) lines.
 */
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
