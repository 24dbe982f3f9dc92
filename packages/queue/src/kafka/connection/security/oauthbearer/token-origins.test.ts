import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Authority, createAuthority } from '../../../../../../testbed/kafka/security/certificates.ts'
import {
  type IssuerFault,
  issuerClient,
  startTokenIssuer,
  type TokenIssuer,
} from '../../../../../../testbed/kafka/security/token-issuer.ts'
import { UserError } from '../../../../errors.ts'
import { NoAnswerError } from '../../broker-error.ts'
import { tokenCommand } from './token-command.ts'
import { tokenEndpoint } from './token-endpoint.ts'
import { tokenFile } from './token-file.ts'
import type { TokenOrigin } from './token-source.ts'

/** Without secrets and tokens. */
async function failure({ fetch }: TokenOrigin): Promise<Error> {
  const error = await fetch().then(
    () => new Error('there was a token'),
    (error: Error) => error,
  )
  expect(error.message).not.toMatch(/issuer-secret|eyJ/)
  return error
}

describe('a token endpoint', () => {
  let issuer: TokenIssuer
  beforeAll(async () => {
    issuer = await startTokenIssuer()
  })
  beforeEach(() => {
    issuer.fault = {}
  })
  afterAll(() => issuer.close())

  const endpoint = (more: { clientSecret?: string; url?: string; timeoutMs?: number } = {}) => {
    const { url = issuer.tokenUrl, clientSecret = issuerClient.secret, timeoutMs = 30_000 } = more
    const client = { clientId: issuerClient.id, clientSecret, scope: undefined, urlEncode: false, tls: undefined }
    return tokenEndpoint({ ...client, url: new URL(url), timeoutMs })
  }

  it('issues tokens for a client', async () => {
    expect(await endpoint().fetch()).toEqual({ value: expect.stringMatching(/^eyJ/), lifetimeMs: 3_600_000 })
  })

  it.each<[string, IssuerFault, RegExp]>([
    ['does not answer', { silent: true }, /token for client "connector": it does not answer$/],
    ['closes the connection', { closes: true }, /: .*(socket hang up|ECONNRESET)/],
    ['answers 503', { status: 503, body: 'eyJ' }, /: it answers 503$/],
    ['answers 429', { status: 429 }, /: it answers 429$/],
    ['answers with a page', { body: '<html>' }, /: its answer has text with characters/],
    ['answers without a token', { body: '{"error":"x"}' }, /: its answer has no token$/],
    ['answers without an end', { body: 'x'.repeat(2 ** 21) }, /: it is longer than 1048576 bytes/],
  ])('may have a token later if it %s', async (_, fault, message) => {
    issuer.fault = fault
    const answer = await failure(endpoint(fault.silent ? { timeoutMs: 200 } : {}))
    expect(answer).toMatchObject({ name: 'NoAnswerError', message: expect.stringMatching(message) })
  })

  it('may have a token later if nothing listens', async () => {
    expect(await failure(endpoint({ url: 'http://127.0.0.1:3/token' }))).toBeInstanceOf(NoAnswerError)
  })

  it('refuses another secret, with the reason that it gives', async () => {
    const error = await failure(endpoint({ clientSecret: 'issuer-secret-2' }))
    expect(error).toBeInstanceOf(UserError)
    expect(error.message).toMatch(/it answers 401 invalid_client: unknown client\. Check the URL, the id and secret/)
  })

  it('is not followed to another address', async () => {
    issuer.fault = { status: 302 }
    expect((await failure(endpoint())).message).toMatch(/it answers 302\. Check the URL/)
  })
})

describe('a token endpoint over TLS', () => {
  let folder: string
  let authority: Authority
  let server: Server
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headrace-issuer-'))
    authority = await createAuthority(folder, 'issuer')
    const { certificate, key } = await authority.sign({ subject: '/CN=issuer', names: 'DNS:issuer.example' })
    server = createServer({ cert: certificate, key }, (_, response) => response.end('{"access_token":"abc"}'))
    await once(server.listen(0, '127.0.0.1'), 'listening')
  })
  afterAll(async () => {
    server.close()
    await rm(folder, { recursive: true })
  })

  const endpoint = (ca: string | undefined, checkServerName: boolean) => {
    const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/token`)
    const tls = { secureContext: createSecureContext(ca === undefined ? {} : { ca }), checkServerName }
    return tokenEndpoint({ url, clientId: 'a', clientSecret: 'b', scope: undefined, urlEncode: false, tls })
  }

  it('is trusted by its authority and its name', async () => {
    expect(await endpoint(authority.certificate, false).fetch()).toMatchObject({ value: 'abc' })
    const otherName = await failure(endpoint(authority.certificate, true))
    expect(otherName.message).toMatch(/no token from https:.*(altnames|issuer\.example)/)
    expect((await failure(endpoint(undefined, false))).message).toMatch(/no token from https:.*certificate/)
  })
})

describe('a program that prints a token', () => {
  it('gives what it prints, and its errors are not part of that', async () => {
    expect(await tokenCommand('echo note >&2; echo abc').fetch()).toEqual({ value: 'abc', lifetimeMs: 300_000 })
  })

  it.each([
    [
      'fails',
      'echo "no profile eyJ01234567890123456789012345678901234567890" >&2; exit 3',
      /ended with 3: no profile …$/,
    ],
    ['is killed', 'kill -9 $$', /it has ended with SIGKILL$/],
    ['prints nothing', 'true', /it has printed nothing$/],
    ['prints nonsense', 'echo Hello, eyJ', /it has printed text with characters that no token has$/],
    ['prints without an end', 'yes', /it is longer than 1048576 bytes$/],
  ])('may have a token later if it %s', async (_, command, message) => {
    const error = await failure(tokenCommand(command))
    expect(error).toMatchObject({ name: 'NoAnswerError', message: expect.stringMatching(message) })
  })

  it('is ended after a time, with the programs that it has started', async () => {
    const error = await failure(tokenCommand('sleep 300 | cat', 100))
    expect(error).toMatchObject({ name: 'NoAnswerError', message: expect.stringMatching(/not ended within 0\.1 s$/) })
  })

  it('is an error of the user if it does not exist', async () => {
    const error = await failure(tokenCommand('/no/such/program'))
    expect(error).toMatchObject({ code: 'invalid_kafka_config', message: expect.stringMatching(/not found/) })
  })
})

it('a file without a token may have one later', async () => {
  expect(await failure(tokenFile('/no/such/file'))).toMatchObject({ message: expect.stringMatching(/ENOENT/) })
})
