import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openQueue } from '@headrace/queue'
import type { VerifyFinding } from '@headrace/sdk'
import type { TestProject } from '@headrace/sdk/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chainConnector } from './chain/connector.ts'
import { damagedQueues, damageQueue, publishBlocks, repairQueue, type SeqRange } from './repaired-queues.ts'
import { verifyProject } from './verify-project.ts'

let folder: string
let project: TestProject
let topics: Map<SeqRange['message'], string>
let nextSeq: Readonly<Record<string, readonly number[]>>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headrace-repaired-'))
  project = await publishBlocks(`embedded:${join(folder, 'whole')}`)
  topics = new Map(project.instance.topics.map(({ message, name }) => [message.split('.').at(-1) as never, name]))
  nextSeq = (await project.storedCheckpoint())!.nextSeq
  await project.close()
})
afterAll(() => rmSync(folder, { recursive: true }))

test.each(damagedQueues.map((one, index) => ({ ...one, index })))(
  'a repair of a queue whose damage is $name and verify report the same ranges as lost',
  async (one) => {
    const directory = join(folder, `${one.index}`)
    cpSync(join(folder, 'whole'), directory, { recursive: true })
    damageQueue(join(directory, 'queue.db'), topics, one)
    const lastSeq = (message: SeqRange['message'], partition: number) => nextSeq[topics.get(message)!]![partition]! - 1
    const reported = await repairQueue(`embedded:${directory}`, topics, lastSeq)
    expect(reported).toEqual(one.lost)
    const queue = await openQueue(`embedded:${directory}`)
    const { findings } = await verifyProject(project, chainConnector(), { queue, compare: 'none' })
    await queue.close()
    expect(missingRanges(findings), 'what verify finds missing').toEqual(reported)
  },
)

/** The ranges that verify finds missing. */
function missingRanges(findings: readonly VerifyFinding[]): SeqRange[] {
  const messages = new Map([...topics].map(([message, topic]) => [topic, message]))
  return findings
    .filter(({ code }) => code === 'seq_missing')
    .map(({ topic, partition, expected }) => ({
      message: messages.get(topic!)!,
      partition: partition!,
      ...(expected as Pick<SeqRange, 'first' | 'last'>),
    }))
}
