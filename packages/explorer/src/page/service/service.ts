import { type Client, type ClientOptions, createClient } from '@headrace/client'
import type { Session } from '../session/session.ts'
import { fetchJson } from './fetch-json.ts'
import type { ConnectorState, Topic, TopicSummary, Usage } from './types.ts'

/**
 * Requests to the gateway that serves this page. A request that fails is not repeated, and a refused token ends the
 * session.
 */
export interface Service {
  topics(signal: AbortSignal): Promise<readonly TopicSummary[]>
  topic(name: string, signal: AbortSignal): Promise<Topic>
  connectors(signal: AbortSignal): Promise<readonly ConnectorState[]>
  /** From a time ago, such as `-7d`. */
  usage(from: string, signal: AbortSignal): Promise<Usage>
  /** One of the documents that need no key. */
  document<Document>(path: string, signal: AbortSignal): Promise<Document>
  /** For one reader, which reports its retries. */
  createClient(listeners: Pick<ClientOptions, 'onRetry' | 'onConnect'>): Client<Messages>
  /** Ends the session if the error says that the token is not accepted. */
  checkSession(error: unknown): void
  readonly url: string
}

export interface Messages {
  readonly [topic: string]: Readonly<Record<string, unknown>>
}

export function createService(url: string, session: Session): Service {
  const token = async () => session.token.value ?? ''
  const client = createClient<Messages>({ url, token, retryForMs: 0 })
  return {
    url,
    topics: (signal) => checked(client.topics({ signal })),
    topic: (name, signal) => checked(client.topic(name, { signal })) as Promise<Topic>,
    connectors: (signal) => checked(client.connectors({ signal })),
    usage: (from, signal) => checked(client.usage({ from, signal })),
    document: (path, signal) => fetchJson(path, { signal }),
    createClient: (listeners) =>
      createClient<Messages>({ ...{ url, token, ...listeners }, retryForMs: Number.POSITIVE_INFINITY }),
    checkSession,
  }

  async function checked<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer
    } catch (error) {
      checkSession(error)
      throw error
    }
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
