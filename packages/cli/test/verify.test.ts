import { randomUUID } from 'node:crypto'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { reorganisationRecord } from '@headrace/catalog'
import { openQueue } from '@headrace/queue'
import { createTestProject } from '@headrace/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { alterations } from '../../../examples/evm/test/alterations.ts'
import { editOf, readCopy, writeCopy } from '../../../examples/evm/test/altered-copy.ts'
import { type Chain, startChain } from '../../testbed/chain/chain.ts'
import { speedUpTime } from '../../testbed/fast-time.ts'
import { runInProcess } from './command-in-process.ts'
import { copyExample, exampleEvm } from './project-copy.ts'
import { engines } from './whole-path/engines.ts'

const connector = (...args: string[]) => runInProcess(args, { variables: process.env })
const evm = new URL('../../../examples/evm', import.meta.url)
const last = 12
let chain: Chain
beforeAll(async () => {
  chain = await startChain()
  await chain.mine(last)
})
afterAll(() => chain?.stop())

const lines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe.each(engines)('connector verify on $name', (engine) => {
  describe.skipIf(engine.missing)('if it is available', () => {
    let opened: Awaited<ReturnType<typeof engine.open>>
    const settings = (rpc = chain.rpc, name = opened.chain) => [
      ...['examples/evm', '--queue', opened.url, '--set', `rpc=${rpc}`, '--set', `chain=${name}`],
    ]

    beforeAll(async () => {
      opened = await engine.open()
      const run = ['run', ...settings(), '--set', 'start=0', '--set', `end=${last}`]
      expect(await connector(...run)).toMatchObject({ code: 0 })
    })
    afterAll(() => opened?.remove())

    test('reports what it has checked, and ends with 0 if it finds nothing', async () => {
      const found = await connector('verify', ...settings(), '--full')
      expect(found).toMatchObject({ code: 0, stderr: '' })
      expect(found.stdout).toMatch(
        /^No problems: \d+ records up to unit 13; 13 units are current, 13 of them compared with the source\.\n$/,
      )
      const sampled = await connector('verify', ...settings(), '--sample', '3', '--json')
      expect(sampled).toMatchObject({ code: 0, stderr: '' })
      const [{ summary }, ...others] = lines(sampled.stdout)
      expect(others).toEqual([])
      expect(summary).toMatchObject({ lastUnit: '13', units: 13, findings: 0, records: expect.any(Number) })
      expect(summary.compared).toBeGreaterThanOrEqual(3)
      expect(summary.compared).toBeLessThanOrEqual(5)
    })

    // The checks read every queue in the same way.
    if (engine.name !== 'embedded') return

    test('finds one record that was altered on purpose, and nothing else', async () => {
      const name = `${opened.chain}-altered`
      const [, alter] = alterations.find(([what]) => what === 'a changed value')!
      {
        const values = { rpc: chain.rpc, chain: opened.chain }
        await using source = await createTestProject(evm, { settings: values, queue: opened.url })
        const altered = await source.openOther(evm, { settings: { ...values, chain: name } })
        await writeCopy(altered, alter(await readCopy(source), editOf(source)))
      }
      const found = await connector('verify', ...settings(chain.rpc, name), '--full')
      expect(found).toMatchObject({ code: 1, stderr: '' })
      const [head, expected, actual, result, ...others] = found.stdout.split('\n')
      expect(head).toMatch(
        new RegExp(
          `^error: headrace\\.evm\\.1_0_0\\.${name}_Transaction partition 0 offset \\d+ seq \\d+ unit ${last} ` +
            `block ${last - 1}: Amount differs from the source\\. \\(message_differs\\)$`,
        ),
      )
      expect(expected).toMatch(/^ {2}expected: \{"Amount":"\d+"\}$/)
      expect(actual).toBe('  found:    {"Amount":"7"}')
      expect(result).toMatch(
        /^1 finding: \d+ records up to unit 13; 13 units are current, 13 of them compared with the source\.$/,
      )
      expect(others).toEqual([''])
    })

    async function verifyWithoutFirst(dir: string, name: string, count: bigint) {
      const instance = [dir, ...settings(chain.rpc, name).slice(1)]
      const run = ['--set', 'start=0', '--set', 'end=5', '--set', 'finality=0']
      expect(await connector('run', ...instance, ...run)).toMatchObject({ code: 0 })
      const queue = await openQueue(opened.url)
      const topic = `headrace.evm.1_0_0.${name}_Block`
      await queue.deleteBefore(topic, 0, count)
      await queue.close()
      return { topic, found: await connector('verify', ...instance, '--full') }
    }

    test.each([
      [
        4n,
        'partition 0 offset 4 seq 0 unit 5: Seqs 0 to 3 are missing (4 records).',
        /unit 6; 1 unit is current from unit 6 on, 1 of/,
      ],
      [6n, 'partition 0 seq 0: Seqs 0 to 5 are missing: the partition is empty (6 records).', /No unit is complete/],
    ])(
      'reports that the first %i records of a topic are missing if it has no retention',
      async (count, message, summary) => {
        const { topic, found } = await verifyWithoutFirst('examples/evm', `${opened.chain}-cut${count}`, count)
        expect(found).toMatchObject({ code: 1, stderr: '' })
        const [head, expected, result, ...others] = found.stdout.split('\n')
        expect(head).toBe(`error: ${topic} ${message} (seq_missing)`)
        expect(expected).toBe(`  expected: {"first":0,"last":${count - 1n}}`)
        expect(result).toMatch(/^1 finding: \d+ records up to unit 6/)
        expect(result).toMatch(summary)
        expect(others).toEqual([''])
      },
    )

    test('reports the first checked unit if retention has removed the first records', async () => {
      const copy = await copyExample()
      try {
        await symlink(join(exampleEvm, '../../node_modules'), join(copy.dir, 'node_modules'))
        const manifest = join(copy.dir, 'manifest.yaml')
        const text = await readFile(manifest, 'utf8')
        await writeFile(manifest, text.replaceAll('    bytes: hex\n', '    bytes: hex\n    retention: 1TiB\n'))
        const { found } = await verifyWithoutFirst(copy.dir, `${opened.chain}-retained`, 4n)
        expect(found).toMatchObject({ code: 0, stderr: '' })
        expect(found.stdout).toMatch(/^No problems: \d+ records up to unit 6; 1 unit is current from unit 6 on, 1 of/)
      } finally {
        await copy.remove()
      }
    })

    test('reports the range that a repair of the queue has lost', async () => {
      const name = `${opened.chain}-repaired`
      const ended = ['--set', 'start=0', '--set', 'poll=0.1']
      for (const end of [3, 6, 9])
        expect(await connector('run', ...settings(chain.rpc, name), ...ended, '--set', `end=${end}`)).toMatchObject({
          code: 0,
        })
      const topic = `headrace.evm.1_0_0.${name}_Block`
      damage(opened.url, topic, { from: 4, to: 7 })
      const repaired = await connector('doctor', '--queue', opened.url, '--repair')
      expect(repaired).toMatchObject({ code: 0 })
      const found = await connector('verify', ...settings(chain.rpc, name), '--full')
      expect(found).toMatchObject({ code: 1, stderr: '' })
      expect(found.stdout).toMatch(
        new RegExp(
          `^error: ${topic} partition 0 offset 7 seq 4 unit 8: Seqs 4 to 6 are missing \\(3 records\\)\\. \\(seq_missing\\)\n.*\n1 finding: `,
        ),
      )
    })

    test('requests nothing from the node with --offline, and ends with 69 without a node', async () => {
      speedUpTime()
      const [offline, unreachable] = await Promise.all([
        connector('verify', ...settings('http://127.0.0.1:1'), '--offline', '--json'),
        connector('verify', ...settings('http://127.0.0.1:1'), '--json'),
      ])
      expect(offline).toMatchObject({ code: 0, stderr: '' })
      expect(lines(offline.stdout)).toMatchObject([{ summary: { compared: 0, findings: 0 } }])
      expect(unreachable).toMatchObject({ code: 69, stdout: '' })
      expect(lines(unreachable.stderr).at(-1)).toMatchObject({ level: 60, code: 'rpc_unavailable' })
    })

    test('refuses an instance that has published nothing', async () => {
      const other = await connector('verify', ...settings(), '--instance', 'other', '--set', 'chain=other', '--offline')
      expect(other).toMatchObject({ code: 1, stdout: '' })
      expect(lines(other.stderr)).toMatchObject([{ level: 60, code: 'nothing_published' }])
    })

    test('reports each finding with its place, and ends with 1', async () => {
      const topic = `headrace.evm.1_0_0.${opened.chain}_Block`
      const queue = await openQueue(opened.url)
      const writerId = `headrace.evm.1_0_0/${opened.chain}`
      const writer = await queue.openWriter({ id: writerId, claim: randomUUID() })
      const transaction = writer.begin()
      transaction.send(reorganisationRecord(writerId, { topic, partition: 0, first: 3, last: 4, unit: 5 }))
      await transaction.commit()
      await writer.close()
      await queue.close()

      const found = await connector('verify', ...settings())
      expect(found).toMatchObject({ code: 1, stderr: '' })
      const [head, detail, result] = found.stdout.split('\n')
      expect(head).toBe(
        `error: ${topic} partition 0 unit 5: "_headrace.reorgs" names seqs 3 to 4 as reverted, but no revert does. (dead_interval_unexpected)`,
      )
      expect(detail).toBe('  found:    {"first":3,"last":4}')
      expect(result).toMatch(/^1 finding: \d+ records up to unit 13; 13 units are current/)

      const json = await connector('verify', ...settings(), '--offline', '--json')
      expect(json).toMatchObject({ code: 1, stderr: '' })
      expect(lines(json.stdout)).toMatchObject([
        { code: 'dead_interval_unexpected', topic, partition: 0, unit: '5', found: { first: 3, last: 4 } },
        { summary: { findings: 1 } },
      ])
    })
  })
})

/** Overwrites the batches of partition 0 that begin at these offsets. */
function damage(queue: string, topic: string, { from, to }: { readonly from: number; readonly to: number }): void {
  using database = new DatabaseSync(join(queue.replace('embedded:', ''), 'queue.db'))
  const { changes } = database
    .prepare(
      `UPDATE bytes SET bytes = zeroblob(length(bytes)) WHERE id IN (
         SELECT bytes_id FROM batches, partitions, topics
         WHERE topics.name = ? AND partitions.topic = topics.id AND partitions.number = 0
           AND batches.id >= (partitions.id << 43) + ? AND batches.id < (partitions.id << 43) + ?)`,
    )
    .run(topic, from, to)
  expect(changes).toBeGreaterThan(0)
}

test('options that contradict each other are wrong usage', async () => {
  expect(await connector('verify', 'examples/evm', '--offline', '--full')).toMatchObject({ code: 2, stdout: '' })
  expect(await connector('verify', 'examples/evm', '--sample', '5', '--full')).toMatchObject({ code: 2, stdout: '' })
})
