import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readRegistry } from '@headrace/catalog'
import { openQueue } from '@headrace/queue'
import {
  createTestProject,
  type TestProject,
  type TestProjectOptions,
  type TestRunOptions,
} from '@headrace/sdk/testing'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { chainConnector } from './chain/connector.ts'
import { type ChainCopy, copyChain } from './chain/copy.ts'
import { newChain } from './chain/open.ts'

const kafka = inject('kafka')
const engines = [...(kafka ? ['Kafka'] : []), 'embedded']

let copy: ChainCopy
let folder: string
let chain: string
let queue: string

async function openFolders(engine: string): Promise<void> {
  copy = await copyChain()
  folder = await mkdtemp(join(tmpdir(), 'headrace-versions-'))
  // The broker is shared, so each test has its own topics.
  chain = newChain()
  queue = engine === 'Kafka' ? `kafka://${kafka}` : `embedded:${folder}`
}

afterEach(async () => {
  await copy.remove()
  await rm(folder, { recursive: true })
})

interface Version {
  /** Lines of the manifest. */
  readonly lines: string
  readonly instance?: string
  readonly owner?: string
}

/** Runs a function with the connector in one of its versions. */
async function as<T>(version: string | Version, use: (project: TestProject) => Promise<T>): Promise<T> {
  const {
    lines,
    instance,
    owner = 'acme',
  }: Version = typeof version === 'string' ? { lines: `version: ${version}` } : version
  await copy.rewrite((manifest) => manifest.replace('version: 1.0.0', lines).replace('owner: acme', `owner: ${owner}`))
  const options: TestProjectOptions = { settings: { chain }, queue, ...(instance !== undefined && { instance }) }
  await using project = await createTestProject(copy.dir, options)
  return await use(project)
}

const run = (version: string | Version, options: TestRunOptions = {}) =>
  as(version, (project) => project.run(chainConnector(), options))
const units = (version: string | Version) => as(version, async (project) => (await project.storedCheckpoint())?.unit)
const refusal = (message: string) => expect.objectContaining({ code: 'registration_refused', message })
const block = (version: string) => `acme.chain.${version}.${chain}_Block`

describe.each(engines)('on %s', (engine) => {
  beforeEach(() => openFolders(engine))

  test('a changed version is refused if an older one has data, with both remedies, and fences no other run', async () => {
    await run('1.0.0', { stopAfter: 5 })
    await expect(run('1.1.0')).rejects.toThrow(
      refusal(
        `The version is now 1.1.0, and topics of version 1.0.0 have records, such as "${block('1_0_0')}". ` +
          'To continue in those topics, add  topicVersion: 1.0.0  to manifest.yaml. ' +
          'To start new topics, run once with `newTopics`.',
      ),
    )
    expect(await run({ lines: 'version: 1.1.0\ntopicVersion: 1.0.0' })).toMatchObject({ units: 16 })
    expect(await units('1.1.0')).toBeUndefined()
  })

  test('newTopics starts new topics, and the old ones name their successors', async () => {
    await run('1.0.0', { stopAfter: 5 })
    expect(await run('2.0.0', { newTopics: true, stopAfter: 5 })).toMatchObject({ units: 5 })
    expect(await run('2.0.0')).toMatchObject({ units: 16 })
    const successors = () =>
      as('2.0.0', async (project) => {
        const registry = await readRegistry(project.queue)
        return ['1_0_0', '2_0_0', '3_0_0'].map((version) => registry.get(block(version))?.successor)
      })
    expect(await successors()).toEqual([block('2_0_0'), undefined, undefined])
    expect(await run('1.0.0')).toMatchObject({ units: 16 })
    expect(await successors()).toEqual([block('2_0_0'), undefined, undefined])
    await run('3.0.0', { newTopics: true })
    expect(await successors()).toEqual([block('2_0_0'), block('3_0_0'), undefined])
  })

  test('an older version whose records were removed still counts as one with data', async () => {
    await run('1.0.0')
    await as('1.0.0', async ({ queue }) => {
      for (const { name, partitions } of await queue.describe([
        block('1_0_0'),
        block('1_0_0').replace('Block', 'Transaction'),
      ]))
        for (const [partition, { end }] of partitions.entries()) await queue.deleteBefore(name, partition, end)
    })
    await expect(run('2.0.0')).rejects.toThrow(refusal(expect.stringContaining('The version is now 2.0.0')))
  })

  // The following tests do not depend on the engine.
  if (engine !== 'embedded') return

  test('a new topicVersion in the manifest starts new topics', async () => {
    await run('1.0.0')
    expect(await run({ lines: 'version: 2.1.0\ntopicVersion: 2.0.0' })).toMatchObject({ units: 21 })
  })

  test('an older version after a newer one is refused', async () => {
    await run({ lines: 'version: 1.2.0\ntopicVersion: 1.0.0' })
    await expect(run('1.0.0')).rejects.toThrow(
      refusal(
        `Version 1.2.0 of this connector has already published to "${block('1_0_0')}", and this is the older version ` +
          '1.0.0. Run version 1.2.0 or a newer one.',
      ),
    )
  })

  test('an older version with topics of its own is refused after a newer one', async () => {
    await run('2.0.0')
    for (const options of [{}, { newTopics: true }])
      await expect(run('1.9.0', options)).rejects.toThrow(
        refusal(
          `Version 2.0.0 of this connector has already started "${block('2_0_0')}", and this is the older version 1.9.0, ` +
            'which has no topics yet. Run version 2.0.0 or a newer one.',
        ),
      )
  })

  test('the topics of another instance are refused, and its run continues', async () => {
    await run('1.0.0', { stopAfter: 5 })
    await expect(run({ lines: 'version: 1.0.0', instance: 'second' })).rejects.toThrow(
      refusal(
        `Topic "${block('1_0_0')}" belongs to the instance "${chain}" of this connector, and this is the instance ` +
          `"second". Start it as "${chain}", or use a setting in the topic names, so that instances have different topics.`,
      ),
    )
    expect(await run('1.0.0')).toMatchObject({ units: 16 })
  })

  test('another project of the same owner and package is refused, and the first one keeps its checkpoint', async () => {
    const project = (id: string): Version => ({ owner: `Acme-${chain}`, lines: `version: 1.0.0\n${id}` })
    await run(project(''), { stopAfter: 5 })
    expect(await run(project('id: first'), { stopAfter: 3 })).toMatchObject({ units: 3 })
    for (const other of ['id: second', ''])
      await expect(run(project(other))).rejects.toThrow(
        refusal(expect.stringContaining(`"Acme-${chain}.chain" belongs to the project with the id "first"`)),
      )
    expect(await run(project('id: first'))).toMatchObject({ units: 13 })
  })

  test('an older version that has registered topics and published nothing does not prevent a start', async () => {
    const silent = { ...chainConnector(), async *read() {} }
    await as('1.0.0', (project) => project.run(silent))
    expect(await run('2.0.0')).toMatchObject({ units: 21 })
  })

  test('the data of an older version counts even if it was never registered', async () => {
    const others = [
      block('9_0_0'),
      block('0_9_0').replace('Block', 'Other'),
      block('0_9').replace('Block', 'x.y_Block'),
    ]
    await publishText(others)
    expect(await run('1.0.0', { stopAfter: 1 })).toMatchObject({ units: 1 })
    chain = `${chain}x`
    await publishText([block('0_9_0')])
    await expect(run('1.0.0')).rejects.toThrow(refusal(expect.stringContaining(`such as "${block('0_9_0')}"`)))
  })
})

/** Publishes without the registry. */
async function publishText(topics: readonly string[]): Promise<void> {
  const opened = await openQueue(queue)
  try {
    await opened.createTopics(topics.map((name) => ({ name })))
    await opened.append(topics.map((topic) => ({ topic, key: null, value: Buffer.from('text'), time: 0 })))
  } finally {
    await opened.close()
  }
}
