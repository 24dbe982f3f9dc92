import { ExplorerError, readProblem } from './problem.ts'

/**
 * For requests that the client does not make.
 *
 * @throws {ExplorerError} the gateway refuses the request, or does not answer.
 */
export async function fetchJson<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(path, init).catch(() => {
    init.signal?.throwIfAborted()
    throw new ExplorerError('service_unavailable', 'The gateway does not answer.')
  })
  if (!response.ok) throw await readProblem(response)
  return response.json()
}
