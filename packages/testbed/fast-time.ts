import { createRequire, syncBuiltinESMExports } from 'node:module'
import { onTestFinished } from 'vitest'
import { replaceProperties } from './simulation/time/replace-clocks.ts'

/**
 * Until the test has finished, timers of this process and `performance.now` run ten times as fast, for back-offs and time
 * limits of minutes. Real I/O takes as long as before, so all time limits are a tenth for it.
 */
export function speedUpTime(): void {
  const require = createRequire(import.meta.url)
  const promises = require('node:timers/promises') as typeof import('node:timers/promises')
  const { setTimeout, setInterval } = globalThis
  const wait = promises.setTimeout
  const now = performance.now.bind(performance)
  const fast = {
    setTimeout: (callback: () => void, ms = 1, ...args: []) => setTimeout(callback, ms / factor, ...args),
    setInterval: (callback: () => void, ms = 1, ...args: []) => setInterval(callback, ms / factor, ...args),
  }
  const undo = [
    replaceProperties(globalThis, fast),
    replaceProperties(promises, { setTimeout: (ms = 1, ...more: []) => wait(ms / factor, ...more) }),
    replaceProperties(performance, { now: () => now() * factor }),
  ]
  syncBuiltinESMExports()
  onTestFinished(() => {
    for (const restore of undo) restore()
    syncBuiltinESMExports()
  })
}

const factor = 10
