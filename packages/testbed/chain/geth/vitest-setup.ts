import { join } from 'node:path'
import { execa } from 'execa'
import type { TestProject } from 'vitest/node'
import { cachedFolder } from '../../cached-folder.ts'
import { firstLine, reportSkipped } from '../../skipped-tests.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of geth; `null` if it cannot be built: its tests are skipped. */
    gethBinary: string | null
  }
}

/** The newest release whose dependencies the Go module proxy has. */
const version = 'v1.16.9'

/** Builds geth once for all tests, and caches it. */
export async function setup(project: TestProject): Promise<void> {
  try {
    const folder = await cachedFolder(`geth-${version}`, (work) =>
      execa('go', ['install', `github.com/ethereum/go-ethereum/cmd/geth@${version}`], { env: { GOBIN: work } }),
    )
    project.provide('gethBinary', join(folder, 'geth'))
  } catch (error) {
    reportSkipped('Geth', `no Go that builds it: ${firstLine(error)}`)
    project.provide('gethBinary', null)
  }
}
