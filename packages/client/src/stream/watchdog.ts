import { UnavailableError } from '../errors.ts'

export interface Watchdog {
  /** Something must be received at least once in this time, in ms. */
  expect(withinMs: number): void
  received(): void
  stop(): void
}

export function createWatchdog(onSilence: (error: UnavailableError) => void): Watchdog {
  let timer: ReturnType<typeof setInterval> | undefined
  let receivedAt = 0
  return {
    expect(withinMs) {
      clearInterval(timer)
      receivedAt = performance.now()
      timer = setInterval(() => {
        if (performance.now() - receivedAt > withinMs)
          onSilence(new UnavailableError('service_unavailable', 'The gateway sent nothing for too long.'))
      }, withinMs / 4)
    },
    received() {
      receivedAt = performance.now()
    },
    stop: () => clearInterval(timer),
  }
}

/** The gateway sends something at least every `heartbeatMs`. */
export function silenceMs(heartbeatMs: number): number {
  return heartbeatMs * 2 + 5000
}
