import type { TestProject } from 'vitest/node'
import { type PackedRegistry, startRegistry } from './start-registry.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The packages as they were last built, packed and published on this machine. */
    registry: Omit<PackedRegistry, 'stop'>
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { stop, ...registry } = await startRegistry()
  project.provide('registry', registry)
  return stop
}
