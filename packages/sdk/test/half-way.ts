/** A place at which a source waits until the test has done what it is to do meanwhile. */
export interface HalfWay {
  /** Called by the source. Resolves once the test lets it go on. */
  pause(): Promise<void>
  /** Resolves when the source is there. */
  readonly reached: Promise<void>
  /** Lets the source go on. */
  resume(): void
}

export function createHalfWay(): HalfWay {
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
