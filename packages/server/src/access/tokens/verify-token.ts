import { decodeJwt, decodeProtectedHeader, errors, type JWK, type JWTPayload, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import type { RefusedError } from '../../errors.ts'
import { memoize } from '../../memoize.ts'
import type { Grant } from '../grant.ts'
import type { ApiKey } from '../keys/api-key.ts'
import type { KeyDirectory } from '../keys/key-directory.ts'
import type { Environment } from '../keys/key-format.ts'
import { unauthorized } from '../unauthorized.ts'
import { audienceOf, claimNames, faultOfRights, longestToken, type TokenRights, tokenLimits } from './token-claims.ts'

/**
 * Verifies tokens and remembers them until they expire, since a signature costs a quarter of a millisecond. The state of
 * the key is looked up each time.
 */
export interface TokenVerifier {
  /**
   * `undefined` if the token is not remembered.
   *
   * @throws {RefusedError} `invalid_token`: the key is no longer usable; `token_expired`
   */
  recall(token: string): VerifiedToken | undefined
  /** @throws {RefusedError} `invalid_token`, `token_expired`, `wrong_environment` */
  verify(token: string): Promise<VerifiedToken>
}

export interface VerifiedToken {
  readonly grant: Grant
  /** Of the only pages that may use it. */
  readonly origin: string | undefined
}

export interface TokenVerifierOptions {
  readonly keys: Pick<KeyDirectory, 'get'>
  readonly environment: Environment
}

/** API keys have no dots. */
export function isTokenLike(credential: string): boolean {
  return credential.includes('.')
}

/** Header, claims, signature (RFC 7515, section 7.1). The unused bits at the end of the signature are 0. */
const compactForm = /^[\w-]+\.[\w-]+\.[\w-]{85}[AQgw]$/

/** By how many seconds the clock of a backend may be ahead. */
const skew = 60

const rememberedBytes = 16 << 20

interface Remembered {
  readonly keyId: string
  readonly publicKey: string | undefined
  readonly claims: TokenClaims
}

export function createTokenVerifier({ keys, environment }: TokenVerifierOptions): TokenVerifier {
  const audience = audienceOf(environment)
  const remembered = new LRUCache<string, Remembered>({
    maxSize: rememberedBytes,
    sizeCalculation: (_, token) => 2 * token.length + 512,
  })
  return {
    recall(token) {
      const known = remembered.get(token)
      return known && current(known)
    },
    async verify(token) {
      const signer = signerOf(token)
      const claims = readClaims(await verifySignature(token, signer, audience))
      const known = { keyId: signer.id, publicKey: signer.publicKey, claims }
      remembered.set(token, known)
      return current(known)
    },
  }

  function signerOf(token: string): ApiKey {
    const keyId = readHeader(token)
    const key = keys.get(keyId)
    if (key?.publicKey !== undefined) return key
    if (!isForAnother(token, audience)) throw notSigned()
    throw unauthorized('wrong_environment', `This service takes tokens of ${environment} keys: aud "${audience}".`)
  }

  function current({ keyId, publicKey, claims: { topics, filter, origin, expires } }: Remembered): VerifiedToken {
    const key = keys.get(keyId)
    if (key === undefined || key.publicKey !== publicKey) throw notSigned()
    if (expires <= Date.now()) throw tokenExpired()
    return { grant: { key, expires, ...(topics && { topics }), ...(filter !== undefined && { filter }) }, origin }
  }
}

/** Returns the id of the key. */
function readHeader(token: string): string {
  if (token.length > tokenLimits.token)
    throw invalidToken(`It has ${token.length} characters; at most ${tokenLimits.token} are allowed.`)
  if (!compactForm.test(token))
    throw invalidToken('It is not a signed JSON Web Token of three parts, the last of them an Ed25519 signature.')
  const { alg, typ = 'JWT', kid, ...others } = decode(() => decodeProtectedHeader(token)) as Record<string, unknown>
  const [other] = Object.keys(others)
  if (other !== undefined)
    throw invalidToken(`Its header has the member ${JSON.stringify(other)}. Allowed: alg, kid, typ.`)
  if (alg !== 'EdDSA') throw invalidToken('Its alg must be "EdDSA".')
  if (typ !== 'JWT') throw invalidToken('Its typ must be "JWT".')
  if (typeof kid !== 'string') throw invalidToken('Its kid must be the id of an API key.')
  return kid
}

function decode<Value>(read: () => Value): Value {
  try {
    return read()
  } catch {
    throw invalidToken('Its header or its claims are not a JSON object in base64url.')
  }
}

function isForAnother(token: string, audience: string): boolean {
  const { aud } = decode(() => decodeJwt(token))
  return typeof aud === 'string' && aud.startsWith('headrace:') && aud !== audience
}

/** jose remembers what it makes of a JWK. */
const jwkOf = memoize(({ publicKey }: ApiKey): JWK => ({ kty: 'OKP', crv: 'Ed25519', x: publicKey! }))

async function verifySignature(token: string, signer: ApiKey, audience: string): Promise<JWTPayload> {
  try {
    const options = { algorithms: ['EdDSA'], audience, requiredClaims: ['exp', 'iat'], clockTolerance: skew }
    return (await jwtVerify(token, jwkOf(signer), options)).payload
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) throw notSigned()
    if (error instanceof errors.JWTExpired) throw tokenExpired()
    if (error instanceof errors.JWTClaimValidationFailed)
      throw invalidToken(
        error.claim === 'aud' ? `Its aud must be "${audience}".` : `Its claims are refused: ${error.message}.`,
      )
    if (error instanceof errors.JOSEError) throw invalidToken('Its claims are not a JSON object in base64url.')
    throw error
  }
}

interface TokenClaims extends TokenRights {
  /** In ms since the Unix epoch. */
  readonly expires: number
}

function readClaims(claims: JWTPayload): TokenClaims {
  const { iat, exp } = claims as { iat: unknown; exp: number }
  if (typeof iat !== 'number') throw invalidToken('Its iat must be a time in seconds.')
  if (iat > Date.now() / 1000 + skew) throw invalidToken('Its iat is in the future. Check the clock of the backend.')
  if (exp > iat + longestToken) throw invalidToken(`Its exp may be at most ${longestToken} seconds after its iat.`)
  const unknown = Object.keys(claims).find((name) => !claimNames.includes(name))
  if (unknown !== undefined)
    throw invalidToken(`Its claim ${JSON.stringify(unknown)} is unknown. Allowed: ${claimNames.join(', ')}.`)
  const fault = faultOfRights(claims)
  if (fault) throw invalidToken(`Its ${fault.message}`)
  return { ...(claims as TokenRights), expires: exp * 1000 }
}

/** The same for unknown, expired and revoked keys. */
function notSigned(): RefusedError {
  return invalidToken(
    'It is not signed by a usable key of this service. Create a new one. A key that was created before tokens existed ' +
      'must be rotated first.',
  )
}

function invalidToken(reason: string): RefusedError {
  return unauthorized('invalid_token', `The token is not valid. ${reason}`)
}

function tokenExpired(): RefusedError {
  return unauthorized('token_expired', 'The token has expired. Get a new one.')
}
