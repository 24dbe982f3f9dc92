import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import { after } from '../after.ts'
import type { Endpoint } from '../api-definition/endpoint.ts'
import { RefusedError } from '../errors.ts'
import type { Query } from '../rest/query.ts'
import type { UsageMeter } from '../usage/usage-meter.ts'
import type { AddressReader } from './client-address.ts'
import { credentialOf } from './credentials.ts'
import type { Grant } from './grant.ts'
import type { ApiKey } from './keys/api-key.ts'
import type { KeyDirectory } from './keys/key-directory.ts'
import { type Environment, hashKey, keyEnvironment } from './keys/key-format.ts'
import { keylessRateHeaders } from './limits/caller-limits.ts'
import { allowsOrigin } from './origins/origin.ts'
import type { RequestTaker, TakenRequest } from './take-request.ts'
import { createTokenVerifier, isTokenLike } from './tokens/verify-token.ts'
import { unauthorized } from './unauthorized.ts'

/** Checks callers in the order of `docs/reference/rest.md`: credentials, origin, limits. */
export interface Admission {
  /**
   * The grant of a caller; `undefined` if it sends no credential. A promise only for a token, so that a request with a
   * key need not wait for the next turn.
   *
   * @throws {RefusedError} the credential is not valid, or not for this origin.
   */
  identify(
    request: IncomingMessage,
    query: Query,
    access: AdmittedAccess,
  ): Grant | undefined | Promise<Grant | undefined>
  /** Takes one request, and for a stream a connection. Without a grant, the rate is 0. */
  admit(grant: Grant | undefined, access: AdmittedAccess): Admitted | Promise<Admitted>
  /** Admits a call over an open WebSocket. Returns the grant with the current state of the key. */
  admitCall(opened: Grant): Grant | Promise<Grant>
}

/** `key`: a request that needs an API key, and takes no token. */
export type AdmittedAccess = Exclude<Endpoint['access'], 'open'>

export interface Admitted extends TakenRequest {
  readonly grant: Grant
}

export interface AdmissionOptions {
  readonly keys: KeyDirectory
  readonly takeRequest: RequestTaker
  readonly usage: UsageMeter
  readonly environment: Environment
  /** Of callers without a key, if there may be any. */
  readonly keyless: ApiKey | undefined
  readonly addressOf: AddressReader
  /** Whom to ask, for the answers 401 and 429. */
  readonly contact?: string
}

/** Keys are secrets, so no more of them are in memory. */
const rememberedKeys = 1000

export function createAdmission(options: AdmissionOptions): Admission {
  const { keys, takeRequest, usage, environment, keyless, addressOf, contact } = options
  const tokens = createTokenVerifier({ keys, environment })
  const hashes = new LRUCache<string, string>({ max: rememberedKeys })
  return {
    identify: (...request) => withContact(contact, () => identify(...request)),
    admit: (grant, access) =>
      withContact(contact, () => {
        if (grant === undefined) throw access === 'request' ? keylessRequest() : missingKey(access)
        const taken = takeRequest(grant, access === 'stream' ? 'stream' : 'request')
        return after(taken, (taken) => ({ grant, ...taken }))
      }),
    admitCall: (opened) =>
      withContact(contact, () => {
        const key = keys.get(opened.key.id) ?? opened.key
        const grant = key === opened.key ? opened : { ...opened, key }
        return after(takeRequest(grant, 'request'), () => grant)
      }),
  }

  function identify(
    request: IncomingMessage,
    query: Query,
    access: AdmittedAccess,
  ): Grant | undefined | Promise<Grant | undefined> {
    const { origin } = request.headers
    const credential = credentialOf(request, query, { isBasicAllowed: access === 'registry' })
    if (credential === undefined)
      return keyless && ['request', 'tools', 'registry'].includes(access)
        ? { key: keyless, address: addressOf(request) }
        : undefined
    if (!isTokenLike(credential)) {
      const key = keyOf(credential)
      if (access === 'key' && key.publicKey === undefined)
        throw unauthorized(
          'invalid_key',
          'This key was created before tokens existed. Rotate it, and send the new one.',
        )
      return withOrigin({ key }, origin)
    }
    if (access === 'key') throw unauthorized('invalid_key', 'A token cannot create tokens. Send an API key.')
    const known = tokens.recall(credential)
    if (known) return withOrigin(known.grant, origin, known.origin)
    return tokens.verify(credential).then((token) => withOrigin(token.grant, origin, token.origin))
  }

  /** Remembers hashes only, so that a revocation takes effect at once. */
  function keyOf(credential: string): ApiKey {
    const known = hashes.get(credential)
    const key = known === undefined ? undefined : keys.find(known)
    if (key) return key
    const checked = checkKey(credential)
    hashes.set(credential, checked.hash)
    return checked
  }

  function checkKey(credential: string): ApiKey {
    const environmentOfKey = keyEnvironment(credential)
    if (environmentOfKey !== undefined && environmentOfKey !== environment)
      throw unauthorized(
        'wrong_environment',
        `This is a ${environmentOfKey} key, and this service takes ${environment} keys.`,
      )
    const key = environmentOfKey && keys.find(hashKey(credential))
    // The same for unknown, expired and revoked keys, so that it does not reveal which keys exist.
    if (!key) throw unauthorized('invalid_key', 'The API key is not valid. Check that it is complete and still in use.')
    return key
  }

  function withOrigin(grant: Grant, origin: string | undefined, ofToken?: string): Grant {
    const { key } = grant
    if (ofToken !== undefined && origin !== ofToken) throw wrongOrigin(key, 'token', origin)
    if (!allowsOrigin(key, origin)) throw wrongOrigin(key, 'key', origin)
    return grant
  }

  function wrongOrigin(key: ApiKey, credential: 'key' | 'token', origin: string | undefined): RefusedError {
    usage.of(key.id).refused++
    return new RefusedError(
      'origin_not_allowed',
      origin === undefined
        ? `This ${credential} needs an Origin header with the URL registered for it.`
        : `The Origin header does not match the URL registered for this ${credential}.`,
    )
  }
}

export function missingKey(access: Exclude<AdmittedAccess, 'request'>): RefusedError {
  const message =
    access === 'stream'
      ? 'Live data needs an API key: "Authorization: Bearer <API_KEY>", or api_key.'
      : 'This request needs an API key: "Authorization: Bearer <API_KEY>".'
  return new RefusedError('missing_key', message, { headers: { 'www-authenticate': 'Bearer' } })
}

/** Has no Retry-After, because waiting does not help. */
function keylessRequest(): RefusedError {
  const message = 'Without an API key the rate limit is 0. Send "Authorization: Bearer <API_KEY>".'
  return new RefusedError('rate_limited', message, { headers: keylessRateHeaders })
}

/** Adds whom to ask to the refusals that another key or other limits would avoid. */
function withContact<Value>(contact: string | undefined, call: () => Value | Promise<Value>): Value | Promise<Value> {
  if (contact === undefined) return call()
  try {
    const value = call()
    return value instanceof Promise ? value.catch(rethrow) : value
  } catch (error) {
    return rethrow(error)
  }

  function rethrow(error: unknown): never {
    if (!(error instanceof RefusedError && [401, 429].includes(error.status))) throw error
    const { code, message, members, headers } = error
    throw new RefusedError(code, `${message} Contact: ${contact}`, { members, headers, cause: error.cause })
  }
}
