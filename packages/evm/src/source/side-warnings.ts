import type { Log } from './block-source.ts'

/** Endpoints by their answer. */
export type Sides = Readonly<Record<string, readonly string[]>>

export interface SideWarnings {
  /** Logs consecutive equal warnings once. */
  warn(sides: Sides, fields: Readonly<Record<string, unknown>>, message: string): void
  reset(): void
}

export function createSideWarnings(log: Log): SideWarnings {
  let logged: string | undefined
  return {
    warn(sides, fields, message) {
      const key = JSON.stringify([message, sides])
      if (key !== logged) log.warn({ ...sides, ...fields }, message)
      logged = key
    },
    reset() {
      logged = undefined
    },
  }
}
