/** Reproducible random choices. */
export interface Random {
  /** A whole number from 0 to `below` − 1. */
  integer(below: number): number
  /** `length` random bytes as `0x…`. */
  hex(length: number): string
  pick<T>(choices: readonly T[]): T
}

/** The same seed gives the same choices, on every machine (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const integer = (below: number) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
  return {
    integer,
    hex: (length) => `0x${Array.from({ length }, () => integer(256).toString(16).padStart(2, '0')).join('')}`,
    pick: (choices) => choices[integer(choices.length)]!,
  }
}
