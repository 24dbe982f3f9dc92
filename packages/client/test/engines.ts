import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'

/** An engine to read from. */
export interface Engine {
  readonly name: string
  /** Why it cannot be had here. */
  readonly missing?: string
  /** A queue, and a topic in it that no other test uses. */
  open(): Promise<{ readonly queueUrl: string; readonly topic: string } & AsyncDisposable>
}

const topicName = () => `acme.shop${randomBytes(4).toString('hex')}.1_0_0.shop_Order`

export const engines: readonly Engine[] = [
  {
    name: 'embedded',
    async open() {
      const folder = await mkdtemp(join(tmpdir(), 'headrace-client-'))
      const remove = () => rm(folder, { recursive: true, force: true })
      return { queueUrl: `embedded:${folder}`, topic: topicName(), [Symbol.asyncDispose]: remove }
    },
  },
  {
    name: 'Kafka',
    ...(inject('kafka') === null && { missing: 'there is no Kafka' }),
    open: async () => ({
      queueUrl: `kafka://${inject('kafka')}`,
      topic: topicName(),
      [Symbol.asyncDispose]: async () => {},
    }),
  },
]
