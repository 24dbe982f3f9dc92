import { UnavailableError } from '../errors.ts'

/**
 * Reads an answer to its end.
 *
 * @throws {UnavailableError} it was cut short. The signal's reason, once there is one.
 */
export async function readText(response: Response, signal: AbortSignal): Promise<string> {
  try {
    return await response.text()
  } catch (error) {
    signal.throwIfAborted()
    throw new UnavailableError('service_unavailable', 'The answer was cut short.', { cause: error })
  }
}
