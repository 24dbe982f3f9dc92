import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A small issuer of OpenID Connect, with the client `connector` and the secret `issuer-secret`. */
export interface TokenIssuer {
  readonly tokenUrl: string
  readonly jwksUrl: string
  /** Number of tokens that were requested. */
  readonly requests: number
  /** What is different from a good answer, for all requests until it is set again. */
  fault: IssuerFault
  /** A token as the endpoint issues it. */
  token(): string
  /** Signs with another key from now on, which the JSON Web Key Set has. */
  rotateKey(): void
  close(): Promise<void>
}

export interface IssuerFault {
  /** Default 3,600. */
  readonly lifetimeSeconds?: number
  readonly audience?: string
  /** Difference of the clock of the issuer. */
  readonly skewSeconds?: number
  readonly status?: number
  readonly body?: string
  /** Leaves requests without an answer. */
  readonly silent?: boolean
  /** Closes the connection of each request. */
  readonly closes?: boolean
}

export const issuerClient = { id: 'connector', secret: 'issuer-secret', audience: 'kafka' } as const

export async function startTokenIssuer(): Promise<TokenIssuer> {
  const keys: { id: string; privateKey: KeyObject; publicKey: KeyObject }[] = []
  const server = createServer((request, response) => void answer(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  rotateKey()
  let requests = 0

  const issuer = {
    tokenUrl: `${origin}/token`,
    jwksUrl: `${origin}/jwks`,
    get requests() {
      return requests
    },
    fault: {} as IssuerFault,
    token,
    rotateKey,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return issuer

  function rotateKey(): void {
    keys.push({ id: `key-${keys.length}`, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) })
  }

  function token(): string {
    const { audience = issuerClient.audience, lifetimeSeconds = 3_600, skewSeconds = 0 } = issuer.fault
    const { id: kid, privateKey } = keys.at(-1)!
    const now = Date.now() / 1000 + skewSeconds
    const claims = { iss: origin, aud: audience, sub: issuerClient.id, iat: now, exp: now + lifetimeSeconds }
    const signed = [{ alg: 'RS256', kid }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    )
    const signature = sign('sha256', Buffer.from(signed.join('.')), privateKey)
    return [...signed, signature.toString('base64url')].join('.')
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/jwks') {
      const set = keys.map(({ id, publicKey }) => ({ ...publicKey.export({ format: 'jwk' }), kid: id, use: 'sig' }))
      response.end(JSON.stringify({ keys: set }))
      return
    }
    requests++
    const form = new URLSearchParams(await text(request))
    const { fault } = issuer
    if (fault.silent) return
    if (fault.closes) return void request.socket.destroy()
    if (fault.status !== undefined || fault.body !== undefined) {
      response.writeHead(fault.status ?? 200).end(fault.body)
      return
    }
    const credentials = Buffer.from(`${issuerClient.id}:${issuerClient.secret}`).toString('base64')
    if (request.headers.authorization !== `Basic ${credentials}` || form.get('grant_type') !== 'client_credentials') {
      response.writeHead(401).end(JSON.stringify({ error: 'invalid_client', error_description: 'unknown client' }))
      return
    }
    const { lifetimeSeconds = 3_600 } = fault
    response.end(JSON.stringify({ access_token: token(), token_type: 'Bearer', expires_in: lifetimeSeconds }))
  }
}
