import { request as requestHttp } from 'node:http'
import { Agent, request as requestHttps } from 'node:https'
import { errorReason } from '../../../../error-reason.ts'
import type { TlsSettings } from '../security.ts'
import { type AccessToken, parseAccessToken } from './access-token.ts'
import { readText } from './read-text.ts'
import { type TokenOrigin, tokenRefused, tokenUnavailable } from './token-source.ts'

export interface TokenEndpointOptions {
  readonly url: URL
  readonly clientId: string
  readonly clientSecret: string
  readonly scope: string | undefined
  /** Whether id and secret are encoded as RFC 6749, section 2.3.1, requires. Many issuers do not expect it. */
  readonly urlEncode: boolean
  readonly tls: TlsSettings | undefined
  /** Default 10,000 ms. */
  readonly timeoutMs?: number
}

/** Client credentials of OAuth 2.0 (RFC 6749, section 4.4). Redirections are not followed: a secret is sent. */
export function tokenEndpoint(options: TokenEndpointOptions): TokenOrigin {
  const { url, clientId, scope } = options
  const description = `${url.origin}${url.pathname} for client "${clientId}"`
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) })
  const tls = options.tls && { agent: agentOf(options.tls) }
  return {
    description,
    async fetch() {
      const { status, content } = await post(`${body}`).catch((error: unknown) => {
        const problem = (error as Error).name === 'TimeoutError' ? 'it does not answer' : errorReason(error as Error)
        throw tokenUnavailable(description, problem, error)
      })
      if (status === 200) return readToken(content)
      if (status >= 500 || passing.includes(status)) throw tokenUnavailable(description, `it answers ${status}`)
      const check = 'Check the URL, the id and secret of the client, and the scope.'
      throw tokenRefused(description, `it answers ${status}${problemIn(content)}. ${check}`)
    },
  }

  function readToken(content: string): AccessToken {
    try {
      return parseAccessToken(content)
    } catch (error) {
      throw tokenUnavailable(description, `its answer has ${(error as Error).message}`)
    }
  }

  async function post(form: string): Promise<{ status: number; content: string }> {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; content: string }>()
    const signal = AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs)
    const headers = {
      authorization: basicCredentials(options),
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': Buffer.byteLength(form),
    }
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const request = send(url, { method: 'POST', headers, signal, ...tls }, (response) => {
      readText(response).then((content) => resolve({ status: response.statusCode!, content }), reject)
    })
    request.on('error', (error) => reject(signal.aborted ? signal.reason : error))
    request.end(form)
    return promise
  }
}

const defaultTimeoutMs = 10_000
/** Request Timeout, Too Early, Too Many Requests. */
const passing = [408, 425, 429]

function agentOf({ secureContext, checkServerName }: TlsSettings): Agent {
  return new Agent({ secureContext, ...(!checkServerName && { checkServerIdentity: () => undefined }) })
}

function basicCredentials({ clientId, clientSecret, urlEncode }: TokenEndpointOptions): string {
  const [id, secret] = urlEncode ? [clientId, clientSecret].map(encodeURIComponent) : [clientId, clientSecret]
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
}

/** The error of RFC 6749, section 5.2, if the answer has one. */
function problemIn(content: string): string {
  try {
    const { error, error_description: description } = JSON.parse(content) as Record<string, unknown>
    return [error, description].map((part) => (typeof part === 'string' ? ` ${part.slice(0, 200)}` : '')).join(':')
  } catch {
    return ''
  }
}
