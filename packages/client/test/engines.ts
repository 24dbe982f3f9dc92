import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { uniqueTopic } from '../../server/test/shop/unique-topic.ts'

/** An engine to read from. */
export interface Engine {
  readonly name: string
  /** Why it is not available here. */
  readonly missing?: string
  /** Opens a queue with a unique topic. */
  open(): Promise<{ readonly queueUrl: string; readonly topic: string } & AsyncDisposable>
}

export const engines: readonly Engine[] = [
  {
    name: 'embedded',
    async open() {
      const folder = await mkdtemp(join(tmpdir(), 'headrace-client-'))
      const remove = () => rm(folder, { recursive: true, force: true })
      return { queueUrl: `embedded:${folder}`, topic: uniqueTopic(), [Symbol.asyncDispose]: remove }
    },
  },
  {
    name: 'Kafka',
    ...(inject('kafka') === null && { missing: 'there is no Kafka' }),
    open: async () => ({
      queueUrl: `kafka://${inject('kafka')}`,
      topic: uniqueTopic(),
      [Symbol.asyncDispose]: async () => {},
    }),
  },
]
