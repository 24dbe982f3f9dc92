import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { reportSkipped } from '../skipped-tests.ts'
import { launchOptions, missingChromium } from './chromium.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where `chromium.connect` finds a running Chromium; `null` if there is none: its tests are skipped. */
    chromium: string | null
  }
}

/** Starts one Chromium for all tests. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const missing = missingChromium()
  if (missing) {
    reportSkipped('Chromium', missing)
    project.provide('chromium', null)
    return undefined
  }
  const server = await chromium.launchServer(launchOptions)
  project.provide('chromium', server.wsEndpoint())
  return () => server.close()
}
