import { PositionLostError } from '../../errors.ts'

/**
 * Does something again whose bounds were listed before, where the log was cut back or records were removed in between. It
 * lists them again each time.
 *
 * @throws {PositionLostError} that was so three times in a row.
 */
export async function whileCutBack<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof PositionLostError) || tries === mostTries) throw error
    }
  }
}

const mostTries = 3
