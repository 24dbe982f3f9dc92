import type { Log } from '../log.ts'

/** Names of endpoints, by what they say. */
export type Sides = Readonly<Record<string, readonly string[]>>

/** Warns of endpoints that contradict each other or do not answer. */
export interface SideWarnings {
  /** Once for all times in a row that the same endpoints are on the same sides. */
  warn(sides: Sides, fields: Readonly<Record<string, unknown>>, message: string): void
  /** Has the next one told in any case. */
  forget(): void
}

export function createSideWarnings(log: Log): SideWarnings {
  let told: string | undefined
  return {
    warn(sides, fields, message) {
      const key = JSON.stringify([message, sides])
      if (key !== told) log.warn({ ...sides, ...fields }, message)
      told = key
    },
    forget() {
      told = undefined
    },
  }
}
