export interface Watchdog {
  /** Something must be received at least once in this time, in ms. */
  expect(withinMs: number): void
  heard(): void
  /** Stops until the next `expect`. */
  stop(): void
}

export function createWatchdog(onSilence: () => void): Watchdog {
  let timer: ReturnType<typeof setInterval> | undefined
  let heardAt = 0
  return {
    expect(withinMs) {
      clearInterval(timer)
      heardAt = performance.now()
      timer = setInterval(() => {
        if (performance.now() - heardAt > withinMs) onSilence()
      }, withinMs / 4)
    },
    heard() {
      heardAt = performance.now()
    },
    stop: () => clearInterval(timer),
  }
}

/** The gateway sends something at least every `heartbeatMs`. */
export function silenceMs(heartbeatMs: number): number {
  return heartbeatMs * 2 + 5000
}
