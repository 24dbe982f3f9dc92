import type { Connection, Writer } from '@platformatic/kafka'
import { Writer as RequestWriter } from '@platformatic/kafka'

/**
 * Gives what sends requests on a connection, and holds them back while it authenticates itself again.
 *
 * A broker with `connections.max.reauth.ms` wants that before the session ends, and the library does it in time
 * (KIP-368). But between SaslHandshake and the last SaslAuthenticate a broker takes nothing else: it would close the
 * connection. A request that is held back is encoded before `send` returns, as every other, and keeps its order.
 */
export function holdingWhileReauthenticating(connection: Connection): Pick<Connection, 'send'> {
  const held: (() => void)[] = []
  const release = (): void => {
    for (const send of held.splice(0)) send()
  }
  connection.on('sasl:authentication:extended', release)
  connection.on('close', release)
  return {
    send(apiKey, apiVersion, createPayload, ...rest) {
      if (connection.status !== 'reauthenticating') {
        connection.send(apiKey, apiVersion, createPayload, ...rest)
        return
      }
      const payload = copyOf(createPayload() as Writer)
      held.push(() => connection.send(apiKey, apiVersion, () => payload, ...rest))
    },
  }
}

/** The caller's buffers may be used again at once. */
function copyOf(payload: Writer): Writer {
  return RequestWriter.create().append(Buffer.from(payload.buffer))
}
