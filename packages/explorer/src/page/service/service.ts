import { type Client, type ClientOptions, createClient } from '@headrace/client'
import type { Session } from '../session/session.ts'
import { ExplorerError, readProblem } from './problem.ts'
import type { ConnectorState, Topic, TopicSummary } from './types.ts'

/** The gateway that serves this page. A refused token ends the session. */
export interface Service {
  topics(signal: AbortSignal): Promise<readonly TopicSummary[]>
  topic(name: string, signal: AbortSignal): Promise<Topic>
  connectors(signal: AbortSignal): Promise<readonly ConnectorState[]>
  get<Answer>(path: string, signal: AbortSignal): Promise<Answer>
  /** For one reader, which is told of each retry. */
  createClient(listeners: Pick<ClientOptions, 'onRetry' | 'onConnect'>): Client<Messages>
  /** Ends the session if the error says that the token is not accepted. */
  checkSession(error: unknown): void
  readonly url: string
}

export interface Messages {
  readonly [topic: string]: Readonly<Record<string, unknown>>
}

export function createService(url: string, session: Session): Service {
  return {
    url,
    topics: async (signal) => (await get<{ topics: TopicSummary[] }>('/api/v1/topics', signal)).topics,
    topic: (name, signal) => get(`/api/v1/topics/${encodeURIComponent(name)}`, signal),
    connectors: async (signal) =>
      (await get<{ connectors: ConnectorState[] }>('/api/v1/connectors', signal)).connectors,
    get,
    createClient: (listeners) =>
      createClient<Messages>({
        ...{ url, ...listeners, retryForMs: Number.POSITIVE_INFINITY },
        token: async () => session.token.value ?? '',
      }),
    checkSession,
  }

  async function get<Answer>(path: string, signal: AbortSignal): Promise<Answer> {
    const token = session.token.value
    const headers = token ? { authorization: `Bearer ${token}` } : {}
    const response = await fetch(path, { headers, signal, cache: 'no-store' }).catch((error) => {
      signal.throwIfAborted()
      throw new ExplorerError('service_unavailable', 'The gateway does not answer.', error)
    })
    if (response.ok) return (await response.json()) as Answer
    const problem = await readProblem(response)
    checkSession(problem)
    throw problem
  }

  function checkSession(error: unknown): void {
    const { code, message } = error as { code?: string; message: string }
    if (code !== undefined && refusalsOfToken.includes(code)) session.signOut(reasonOf({ code, message }))
  }
}

const refusalsOfToken = [
  'token_expired',
  'key_revoked',
  'invalid_token',
  'invalid_key',
  'missing_key',
  'wrong_environment',
]

function reasonOf({ code, message }: { readonly code: string; readonly message: string }): string {
  if (code === 'token_expired') return 'The session has ended. Sign in again.'
  if (code === 'key_revoked' || code === 'invalid_token') return 'The key was revoked, or has expired.'
  return message
}
