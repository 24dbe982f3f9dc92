import type { TestProject } from 'vitest/node'
import { reportSkipped } from '../skipped-tests.ts'
import { type PackedRegistry, startRegistry } from './start-registry.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A registry with the packages as they were last built; `null` if it has no upstream: its tests are skipped. */
    registry: Omit<PackedRegistry, 'stop'> | null
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { stop, ...registry } = await startRegistry()
  // Without the dependencies of the packages nothing can be installed.
  const reached = await fetch(new URL('commander', registry.url)).then(
    ({ ok }) => ok,
    () => false,
  )
  if (!reached) reportSkipped('Scaffold', 'the registry that npm is configured with does not answer')
  project.provide('registry', reached ? registry : null)
  return stop
}
