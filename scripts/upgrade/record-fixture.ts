import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openQueue, readRange } from '@headrace/queue'
import { execa } from 'execa'
import { startFakeNode } from '../../packages/testbed/chain/fake-node.ts'
import { startOwnKafka } from '../../packages/testbed/kafka/start-kafka.ts'
import { compress, type Fixture, fixtureFiles, type StoredRecord } from '../../packages/testbed/upgrade/fixture.ts'
import { createFixtureChain, fixtureChainName } from '../../packages/testbed/upgrade/fixture-chain.ts'
import { runCommand, startGateway } from './command.ts'
import { projectFolder } from './matrix.ts'
import { readPage, request } from './reading.ts'
import type { Version } from './version.ts'

/** Replaces the fixture by what a revision of this repository writes with its `examples/evm`. */
export async function recordFixture(version: Version, folder: string): Promise<void> {
  await copyExample(version)
  await mkdir(dirname(fixtureFiles.description), { recursive: true })
  const embedded = join(folder, 'queue')
  const onEmbedded = await publish(version, `embedded:${embedded}`)
  await writeFile(fixtureFiles.embedded, await compress(await readFile(join(embedded, 'queue.db'))))
  const kafka = await startOwnKafka()
  if ('unavailable' in kafka) throw new Error(`Without Kafka there is no fixture: ${kafka.unavailable}.`)
  try {
    const url = `kafka://${kafka.bootstrap}`
    const { key } = await publish(version, url)
    const lines = (await readRecords(url)).map((record) => `${JSON.stringify(record)}\n`)
    await writeFile(fixtureFiles.kafka, await compress(Buffer.from(lines.join(''))))
    const { cursor, logCursor } = onEmbedded
    const fixture: Fixture = {
      version: version.name,
      keys: { embedded: onEmbedded.key, kafka: key },
      cursor,
      logCursor,
    }
    await writeFile(fixtureFiles.description, `${JSON.stringify(fixture, undefined, 2)}\n`)
  } finally {
    await kafka.stop()
  }
}

async function copyExample(version: Version): Promise<void> {
  const project = join(version.folder, projectFolder)
  await rm(project, { recursive: true, force: true })
  await mkdir(project)
  const archive = join(version.folder, 'example.tar')
  await execa('git', ['archive', '--output', archive, `${version.name}:examples/evm`], {
    cwd: join(import.meta.dirname, '../..'),
  })
  await execa('tar', ['-xf', archive, '-C', project])
}

async function publish(version: Version, queue: string) {
  const { chain, reorganiseFirst } = await createFixtureChain()
  const node = await startFakeNode({ chain })
  try {
    const settings = ['--queue', queue, '--set', `rpc=${node.rpc}`, '--set', `chain=${fixtureChainName}`]
    const run = () =>
      runCommand(version, 'run', projectFolder, ...settings, '--set', 'start=0', '--set', `end=${chain.head}`)
    await run()
    reorganiseFirst()
    await run()
    const key = (await runCommand(version, 'keys', 'create', '--name', 'fixture', '--queue', queue)).trim()
    return { key, ...(await readCursors(version, queue, key)) }
  } finally {
    await node.close()
  }
}

async function readCursors(version: Version, queue: string, key: string) {
  const topic = `headrace.evm.1_0_0.${fixtureChainName}_Block`
  const gateway = await startGateway(version, queue)
  try {
    const { nextCursor } = await readPage(gateway, key, topic, { order: 'asc', limit: '5' })
    const response = await request(gateway, key, topic, { view: 'log' })
    const { headCursor } = (await response.json()) as { headCursor: string }
    return { cursor: nextCursor, logCursor: headCursor }
  } finally {
    await gateway.command.interrupt()
  }
}

async function readRecords(url: string): Promise<StoredRecord[]> {
  const queue = await openQueue(url)
  const records: StoredRecord[] = []
  for (const { name: topic, partitions } of await queue.describe())
    for (const [partition, { earliest, end }] of partitions.entries())
      for await (const batch of readRange(queue, { topic, partition, from: earliest, to: end }))
        for (const { key, value, headers, time } of batch.records())
          records.push({
            ...{ topic, partition, time: Number(time) },
            ...{ key: toBase64(key), value: toBase64(value) },
            headers: headers.map(({ key: name, value: content }) => [String(name), toBase64(content)!]),
          })
  await queue.close()
  return records
}

function toBase64(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString('base64')
}
