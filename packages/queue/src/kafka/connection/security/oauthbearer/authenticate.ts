import { ResponseError, type SASLOptions } from '@platformatic/kafka'
import { UserError } from '../../../../errors.ts'
import { NoAnswerError } from '../../broker-error.ts'
import type { OAuthBearerCredentials } from '../security.ts'

type Authenticate = NonNullable<SASLOptions['authenticate']>
type Answer = Parameters<Parameters<Authenticate>[6]>[1] & {}

/**
 * The exchange of RFC 7628. The client of the library takes the answer of a server that refuses a token for success, and
 * its timer overflows for a session of more than 24 days.
 */
export function oauthBearer({ tokens, extensions }: OAuthBearerCredentials): Authenticate {
  return (_mechanism, connection, saslAuthenticate, _username, _password, _token, callback) => {
    const send = (message: string): Promise<Answer> => saslAuthenticate.async(connection, Buffer.from(message))
    authenticate().then(
      (answer) => callback(null, answer),
      (error: Error) => callback(error),
    )

    async function authenticate(): Promise<Answer> {
      const token = await tokens.get()
      const pairs = Object.entries({ auth: `Bearer ${token}`, ...extensions }).map(
        ([key, value]) => `${key}=${value}\x01`,
      )
      try {
        const answer = await send(`n,,\x01${pairs.join('')}\x01`)
        if (answer.authBytes.length === 0) {
          tokens.accepted()
          return { ...answer, sessionLifetimeMs: lower(answer.sessionLifetimeMs, longestSessionMs) }
        }
        // A server that has refused the token ends the exchange only after this message, with an error or by closing.
        await send('\x01').catch(() => {})
        throw refusal(token, problemIn(answer.authBytes.toString()))
      } catch (error) {
        if (!(error instanceof ResponseError)) throw error
        const { errorMessage } = error.response as { errorMessage: string | null }
        throw refusal(token, problemIn(errorMessage ?? ''))
      }
    }

    function refusal(token: string, problem: string): Error {
      const message = `the token of ${tokens.description} is refused${problem}`
      if (tokens.refused(token)) return new NoAnswerError(message)
      const check = 'Check its audience, issuer and scope, and the clocks of the issuer and the brokers.'
      return new UserError(
        'authentication_failed',
        `Broker ${connection.host}:${connection.port}: ${message}. ${check}`,
      )
    }
  }
}

const longestSessionMs = 24n * 60n * 60n * 1000n

function lower(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

/** The status of RFC 7628, section 3.2.2, or the text itself. */
function problemIn(text: string): string {
  if (text === '') return ''
  try {
    const { status, scope } = JSON.parse(text) as Record<string, unknown>
    return `: ${status}${typeof scope === 'string' ? `, it needs the scope "${scope}"` : ''}`
  } catch {
    return `: ${text.replace(/\.$/, '')}`
  }
}
