import { type Connection, Writer } from '@platformatic/kafka'

/**
 * Holds requests back, encoded and in order, while the library reauthenticates a connection (KIP-368): between
 * SaslHandshake and the last SaslAuthenticate a broker closes it on any other request.
 */
export function holdingWhileReauthenticating(connection: Connection): Pick<Connection, 'send'> {
  const held: (() => void)[] = []
  const release = (): void => {
    for (const send of held.splice(0)) send()
  }
  connection.on('sasl:authentication:extended', release)
  connection.on('close', release)
  return {
    send(apiKey, apiVersion, createPayload, ...more) {
      if (connection.status !== 'reauthenticating') {
        connection.send(apiKey, apiVersion, createPayload, ...more)
        return
      }
      // The caller may reuse its buffers.
      const payload = Writer.create().append(Buffer.from((createPayload() as Writer).buffer))
      held.push(() => connection.send(apiKey, apiVersion, () => payload, ...more))
    },
  }
}
