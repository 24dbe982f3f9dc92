import type { TestProject } from 'vitest/node'
import { environment } from './environment.ts'
import { type PackedRegistry, startRegistry } from './start-registry.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The packages as they were last built, packed and published on this machine; `null`: their tests are skipped. */
    registry: Omit<PackedRegistry, 'stop'> | null
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { stop, ...registry } = await startRegistry()
  // Without those that ours depend on nothing can be installed.
  const reached = await fetch(new URL('commander', registry.url)).then(
    ({ ok }) => ok,
    () => false,
  )
  if (!reached) {
    const reason = 'the registry that npm is configured with does not answer'
    if (environment.ci) throw new Error(`The templates cannot be tried: ${reason}.`)
    console.error(`Scaffold tests skipped: ${reason}.`)
  }
  project.provide('registry', reached ? registry : null)
  return stop
}
