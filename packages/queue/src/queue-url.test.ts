import { describe, expect, it } from 'vitest'
import { UserError } from './errors.ts'
import { defaultQueueUrl, parseQueueUrl } from './queue-url.ts'

describe('a queue URL', () => {
  it.each([
    [defaultQueueUrl, '.headrace'],
    ['embedded:/var/lib/queue', '/var/lib/queue'],
    ['embedded:./with space', './with space'],
  ])('%s names a folder', (url, directory) => {
    expect(parseQueueUrl(url)).toEqual({ engine: 'embedded', directory })
  })

  it('names one or several Kafka brokers', () => {
    expect(parseQueueUrl('kafka://a.example:9092,[::1]:19092')).toEqual({
      engine: 'kafka',
      bootstrap: [
        { host: 'a.example', port: 9092 },
        { host: '::1', port: 19092 },
      ],
    })
  })

  it.each([
    '',
    'embedded:',
    '.headrace',
    'kafka://',
    'kafka://host',
    'kafka://host:0',
    'kafka://host:65536',
    'kafka://host:9092/topic',
    'redis://host:6379',
  ])('%j is refused with what is allowed', (url) => {
    expect(() => parseQueueUrl(url)).toThrow(UserError)
    expect(() => parseQueueUrl(url)).toThrow(/embedded:PATH .* kafka:\/\/host:port/)
  })

  it.each(['kafka://', 'kafka://host:9092,'])('%s is quoted as a whole if a broker is missing', (url) => {
    expect(() => parseQueueUrl(url)).toThrow(`"${url}" is neither`)
  })

  it.each(['kafka://me:secret@host:9092', 'amqp://me:secret@host'])('is never quoted with its password', (url) => {
    expect(() => parseQueueUrl(url)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret') }),
    )
  })
})
