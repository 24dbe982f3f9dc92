import { createRequire, syncBuiltinESMExports } from 'node:module'
import type { Random } from '../../random.ts'
import { createAbortAny } from './abort-any.ts'
import { currentProgram } from './program.ts'
import { createTimerFunctions } from './timer-functions.ts'

export interface Clocks {
  /** Milliseconds since the start. */
  readonly now: () => number
  readonly later: (ms: number, what: () => void) => () => void
  readonly random: Random
}

/** Replaces Node's functions of time and chance. Returns a function that restores them. */
export function replaceClocks({ now, later, random }: Clocks): () => void {
  const functions = createTimerFunctions(later)
  const RealDate = Date
  const wallClock = () => Math.floor(begin + now() + (currentProgram()?.clockOffset ?? 0))
  class VirtualDate extends RealDate {
    constructor(...args: unknown[]) {
      super(...((args.length === 0 ? [wallClock()] : args) as [number]))
    }
    static override now = wallClock
  }
  const timers = {
    setTimeout: functions.setTimeout,
    clearTimeout: functions.clear,
    setInterval: functions.setInterval,
    clearInterval: functions.clear,
    setImmediate: functions.setImmediate,
    clearImmediate: functions.clear,
  }
  const require = createRequire(import.meta.url)
  const undo = [
    replaceProperties(globalThis, { ...timers, Date: VirtualDate }),
    replaceProperties(require('node:timers'), timers),
    replaceProperties(require('node:timers/promises'), functions.promises),
    replaceProperties(performance, { now }),
    replaceProperties(AbortSignal, { timeout: functions.abortAfter, any: createAbortAny() }),
    replaceProperties(Math, { random: () => random.integer(2 ** 32) / 2 ** 32 }),
    replaceProperties(require('node:crypto'), {
      randomUUID: () => formatUuid(random.hex(16).slice(2)),
      randomBytes: (size: number) => Buffer.from(random.hex(size).slice(2), 'hex'),
      randomInt: (least: number, below?: number) =>
        below === undefined ? random.integer(least) : least + random.integer(below - least),
    }),
  ]
  syncBuiltinESMExports()
  return () => {
    for (const restore of undo) restore()
    syncBuiltinESMExports()
  }
}

/** Returns a function that restores the properties. */
export function replaceProperties(target: object, by: Readonly<Record<string, unknown>>): () => void {
  const before = new Map(Object.keys(by).map((name) => [name, Object.getOwnPropertyDescriptor(target, name)]))
  for (const [name, value] of Object.entries(by))
    Object.defineProperty(target, name, { value, configurable: true, writable: true })
  return () => {
    for (const [name, descriptor] of before) {
      if (descriptor) Object.defineProperty(target, name, descriptor)
      else Reflect.deleteProperty(target, name)
    }
  }
}

/** Wall clock at the start: 2026-01-01T00:00:00Z. */
export const begin = 1_767_225_600_000

function formatUuid(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
