import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeClient } from './diagnose-queue.ts'

const tokens = [
  'security.protocol=SASL_SSL',
  'sasl.mechanism=OAUTHBEARER',
  'sasl.oauthbearer.token.endpoint.url=https://issuer.example/token?hush',
  'sasl.oauthbearer.client.credentials.client.id=me',
  'sasl.oauthbearer.client.credentials.client.secret=hush',
  'compression.type=lz4',
]
const password = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="me" password="hush";'

test.each([
  [[], 'PLAINTEXT, compression zstd'],
  [['compression.type=none'], 'PLAINTEXT, compression none'],
  [
    ['security.protocol=SASL_PLAINTEXT', 'sasl.mechanism=PLAIN', `sasl.jaas.config=${password}`],
    'SASL_PLAINTEXT with PLAIN, user "me", compression zstd',
  ],
  [tokens, 'SASL_SSL with OAUTHBEARER, tokens from https://issuer.example/token for client "me", compression lz4'],
])('a client with %j is described without secrets', async (lines, description) => {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-client-'))
  const kafkaConfig = join(folder, 'client.properties')
  await writeFile(kafkaConfig, lines.join('\n'))
  expect(await describeClient('kafka://broker:9092', { kafkaConfig })).toBe(description)
  await rm(folder, { recursive: true })
})

test('an embedded queue has no client', async () => {
  expect(await describeClient('embedded:.headrace', {})).toBeUndefined()
})
