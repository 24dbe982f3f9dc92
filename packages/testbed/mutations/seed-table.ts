import { readFileSync, writeFileSync } from 'node:fs'
import { mutations } from './mutation.ts'

const readme = new URL('../README.md', import.meta.url)
const table = /\| defect \| in \| scenario \| seeds \|\n(?:\|.*\n)+/

/** The seeds of the table in the README, by the name of the mutation. */
export function knownSeeds(): ReadonlyMap<string, number> {
  const rows = tableInReadme().matchAll(/^\| (.+?) \| .+ (\d+) \|$/gm)
  return new Map(Array.from(rows, ([, name = '', seed]) => [name, Number(seed)]))
}

/** Writes the table with new seeds for some mutations. */
export function storeSeeds(found: ReadonlyMap<string, number | undefined>): void {
  const rewritten = tableOf(new Map([...knownSeeds(), ...found]))
  writeFileSync(
    readme,
    readFileSync(readme, 'utf8').replace(table, () => rewritten),
  )
}

/** The table with these seeds. */
export function tableOf(seeds: ReadonlyMap<string, number | undefined>): string {
  const rows = mutations.map(({ name, file, scenario }) => {
    const path = file.replace('packages/', '').replace('/src/', '/')
    return `| ${name} | \`${path}\` | ${scenario} | ${seeds.get(name) ?? 'not found'} |`
  })
  return `${['| defect | in | scenario | seeds |', '|---|---|---|---:|', ...rows].join('\n')}\n`
}

export function tableInReadme(): string {
  const [found] = readFileSync(readme, 'utf8').match(table) ?? []
  if (found === undefined) throw new Error('packages/testbed/README.md has no table of defects.')
  return found
}
