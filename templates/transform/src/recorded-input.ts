import { readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import type { QueueCheckpoint, QueueInput, Source } from '@headrace/sdk'
import type { schema } from './generated/schema.ts'
import type { Input, Rate } from './rate.ts'

/** Yields the units of the recording, as `queueSource` yields those of a topic. */
export async function* readRecorded(
  source: Source<typeof schema, QueueCheckpoint>,
): AsyncGenerator<QueueInput<Input>, void, undefined> {
  const { config, history, signal } = source
  const units = JSON.parse(await readFile(file, 'utf8')) as Rate[][]
  const done = Number(history()[0]?.slice(mark.length) ?? 0)
  for (const [index, Rate] of [...units.entries()].slice(done))
    yield { place: { checkpoint: `${mark}${index + 1}` }, messages: { Rate }, missing: [] }
  while (config.follow) await setTimeout(60_000, undefined, { signal })
}

/** Whether a checkpoint is that of a recorded unit. */
export function isRecorded(checkpoint: QueueCheckpoint): boolean {
  return checkpoint.startsWith(mark)
}

const file = new URL('../recorded/rates.json', import.meta.url)
const mark = 'recorded:'
