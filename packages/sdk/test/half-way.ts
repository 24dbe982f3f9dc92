/** A point at which a source waits for the test. */
export interface PausePoint {
  /** Called by the source. Resolves when the test continues it. */
  pause(): Promise<void>
  /** Resolves when the source has called `pause`. */
  readonly reached: Promise<void>
  /** Continues the source. */
  resume(): void
}

export function createPausePoint(): PausePoint {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const { promise: resumed, resolve: resume } = Promise.withResolvers<void>()
  return {
    pause() {
      reach()
      return resumed
    },
    reached,
    resume,
  }
}
