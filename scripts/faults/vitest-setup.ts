import type { TestProject } from 'vitest/node'
import { environment, type FaultScale } from './environment.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    faultScale: FaultScale
    faultSeed: number
  }
}

/** Tells every fault test how much to do and with which seed, which is printed so that a run can be made again. */
export function setup(project: TestProject): void {
  const { scale, seed } = environment
  console.log(`Faults: ${scale}, seed ${seed}.`)
  project.provide('faultScale', scale)
  project.provide('faultSeed', seed)
}
