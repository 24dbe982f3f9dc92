import { expect, test } from 'vitest'
import { parseAccessToken } from './access-token.ts'

const now = 1_800_000_000_000
const seconds = now / 1000
const jwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`

test.each<[string, string, number]>([
  ['the remaining time of an endpoint', '{"access_token":"a","expires_in":60,"token_type":"Bearer"}', 60_000],
  ['a remaining time as a string', '{"access_token":"a","expires_in":"60"}', 60_000],
  ['the time of expiry of Azure', `{"accessToken":"a","expires_on":${seconds + 90}}`, 90_000],
  ['the time of expiry of a signer for MSK', `{"token":"a","expiryTime":${now + 900_000}}`, 900_000],
  ['its claims', jwt({ exp: seconds + 30, iat: seconds - 30 }), 30_000],
  ['its claims, by the clock of its issuer', jwt({ exp: seconds + 7_200, iat: seconds + 3_600 }), 3_600_000],
  ['its claims in an object', `{"token":"${jwt({ exp: seconds + 30 })}"}`, 30_000],
  ['an expiry in the past', jwt({ exp: seconds - 5 }), 0],
  ['nothing', 'b64_opaque~token+/==\n', 300_000],
  ['a text that is only like a JSON Web Token', 'a.b.c', 300_000],
])('the lifetime of a token is known by %s', (_, text, lifetimeMs) => {
  expect(parseAccessToken(text, now)).toMatchObject({ lifetimeMs })
})

test.each([
  ['', 'nothing'],
  [' \n', 'nothing'],
  ['{}', 'no token'],
  ['{"access_token":7}', 'no token'],
  ['{"access_token":', 'invalid JSON'],
  ['hush hush', 'text with characters that no token has'],
  ['<html>hush</html>', 'text with characters that no token has'],
  ['{"token":"hush\\u0001"}', 'text with characters that no token has'],
])('%j is refused as %s', (text, problem) => {
  expect(() => parseAccessToken(text)).toThrow(new SyntaxError(problem))
})
