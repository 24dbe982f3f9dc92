import type { TestProject } from 'vitest/node'
import { environment } from '../../kafka/environment.ts'
import { gethBinary } from './binary.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of geth; `null` where it cannot be built: its tests are skipped. */
    gethBinary: string | null
  }
}

/** Builds geth once for all tests. */
export async function setup(project: TestProject): Promise<void> {
  const geth = await gethBinary()
  if ('path' in geth) {
    project.provide('gethBinary', geth.path)
    return
  }
  if (environment.ci) throw new Error(`The tests on geth cannot run: ${geth.unavailable}.`)
  console.error(`Tests on geth skipped: ${geth.unavailable}.`)
  project.provide('gethBinary', null)
}
