import { describe, expect, it } from 'vitest'
import { parseClientProperties } from './client-properties.ts'

describe('client.properties', () => {
  it.for([
    ['nothing', ''],
    ['comments and other settings', '# a comment\n! another\nbatch.size=1\nclient.id: x\n'],
    ['the protocol by name', 'security.protocol=PLAINTEXT'],
    ['spaces, a colon and carriage returns', '  security.protocol :  PLAINTEXT \r\nacks = all\r\n'],
  ])('may hold %s', ([, text]) => {
    expect(parseClientProperties(text!, 'client.properties')).toEqual({ protocol: 'PLAINTEXT' })
  })

  it('is refused with the file and the protocol where that is not spoken', () => {
    const parse = () =>
      parseClientProperties('security.protocol=SASL_SSL\nsasl.jaas.config=secret', 'k/client.properties')
    expect(parse).toThrow(expect.objectContaining({ code: 'invalid_kafka_config' }))
    expect(parse).toThrow(/k\/client\.properties asks for security\.protocol "SASL_SSL"/)
  })
})
