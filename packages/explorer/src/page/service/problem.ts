/** What the gateway, or the page itself, refuses. `code` is a code of the gateway. */
export class ExplorerError extends Error {
  readonly code: string
  readonly status: number | undefined

  constructor(code: string, message: string, status?: number) {
    super(message)
    this.name = 'ExplorerError'
    this.code = code
    this.status = status
  }
}

/** The problem document of a response (RFC 9457). */
export async function readProblem(response: Response): Promise<ExplorerError> {
  const problem = (await response.json().catch(() => ({}))) as { code?: unknown; detail?: unknown }
  if (typeof problem.code === 'string' && typeof problem.detail === 'string')
    return new ExplorerError(problem.code, problem.detail, response.status)
  return new ExplorerError('unexpected_answer', `The gateway answered with status ${response.status}.`, response.status)
}
