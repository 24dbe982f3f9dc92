import type { TestProject } from 'vitest/node'
import { environment, type FaultScale } from '../environment.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    faultScale: FaultScale
    faultSeed: number
  }
}

/** Gives every fault test its scale and seed. The seed is printed, so that a run can be repeated. */
export function setup(project: TestProject): void {
  const { faultScale, faultSeed } = environment
  console.log(`Faults: ${faultScale}, seed ${faultSeed}.`)
  project.provide('faultScale', faultScale)
  project.provide('faultSeed', faultSeed)
}
