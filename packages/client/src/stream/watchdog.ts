/** Notices that nothing comes any more. */
export interface Watchdog {
  /** From now on something must come at least once in this time, in ms. */
  expect(withinMs: number): void
  /** Something has come. */
  heard(): void
  /** Nothing need come until the next `expect`. */
  rest(): void
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
    rest: () => clearInterval(timer),
  }
}

/** A gateway is heard from after `heartbeatMs` of silence. What is silent for two of them, and some, is gone. */
export function silenceMs(heartbeatMs: number): number {
  return heartbeatMs * 2 + 5000
}
