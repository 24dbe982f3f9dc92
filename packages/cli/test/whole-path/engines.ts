import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'

export interface Engine {
  readonly name: string
  /** Why it is not available here. */
  readonly missing?: string
  /** A queue for one test, and a `chain` setting that no other test uses: a broker is shared. */
  open(): Promise<{ url: string; chain: string; remove(): Promise<void> }>
}

export const engines: readonly Engine[] = [
  {
    name: 'embedded',
    async open() {
      const folder = await mkdtemp(join(tmpdir(), 'headrace-whole-path-'))
      return {
        url: `embedded:${folder}`,
        chain: 'ethereum',
        remove: () => rm(folder, { recursive: true, force: true }),
      }
    },
  },
  {
    name: 'Kafka',
    ...(inject('kafka') === null && { missing: 'there is no Kafka' }),
    async open() {
      const chain = `chain${randomUUID().slice(0, 8)}`
      return { url: `kafka://${inject('kafka')}`, chain, remove: async () => {} }
    },
  },
]
