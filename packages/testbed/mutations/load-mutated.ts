import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import type { Outcome, Scenario } from '../simulation/scenario.ts'
import { type Mutation, mutate } from './mutation.ts'

/** Runs a seed of a scenario. */
export type RunSeed = (seed: number) => Promise<Outcome>

const mark = '?copy='
const mutated: (Mutation | undefined)[] = []
const withoutTypes = new Map<string, string>()

/** Loads all modules again, with one of them changed, which is much faster than a new process. */
export async function loadMutated(name: string, mutation?: Mutation): Promise<RunSeed> {
  const copy = mark + (mutated.push(mutation) - 1)
  const { simulate } = await import(`../simulation/simulate.ts${copy}`)
  const scenario: Scenario = (await import(`../simulation/scenarios/${name}.ts${copy}`))[name]
  return (seed) => simulate(scenario, seed)
}

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context)
    const copy = context.parentURL?.split(mark)[1]
    if (copy === undefined || !resolved.url.endsWith('.ts') || resolved.url.includes('/node_modules/')) return resolved
    return { ...resolved, url: `${resolved.url}${mark}${copy}` }
  },
  load(url, context, nextLoad) {
    const [file = '', copy] = url.split(mark)
    if (copy === undefined) return nextLoad(url, context)
    const mutation = mutated[Number(copy)]
    const source = mutation && file.endsWith(`/${mutation.file}`) ? mutateFile(file, mutation) : sourceOf(file)
    return { format: 'module', source, shortCircuit: true }
  },
})

function mutateFile(file: string, mutation: Mutation): string {
  return stripTypeScriptTypes(mutate(readFileSync(new URL(file), 'utf8'), mutation))
}

function sourceOf(file: string): string {
  const known = withoutTypes.get(file) ?? stripTypeScriptTypes(readFileSync(new URL(file), 'utf8'))
  withoutTypes.set(file, known)
  return known
}
