import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { checkpointPartition, createSystemTopics, systemTopics } from '@headrace/catalog'
import { openQueue } from '@headrace/queue'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FakeNode, startFakeNode } from '../../../testbed/chain/fake-node.ts'
import {
  type Fixture,
  fixtureFiles,
  readCompressed,
  readFixture,
  type StoredRecord,
} from '../../../testbed/upgrade/fixture.ts'
import { createFixtureChain, type FixtureChain, fixtureChainName } from '../../../testbed/upgrade/fixture-chain.ts'
import { chainContent } from './chain-content.ts'
import { type ConnectorProcess, connector, startConnector } from './connector-process.ts'
import { engines } from './engines.ts'

interface Page {
  readonly data: { readonly seq: string; readonly key: string; readonly op: string }[]
  readonly headCursor: string
}

let fixture: Fixture

beforeAll(async () => {
  fixture = await readFixture()
})

for (const engine of engines)
  describe.skipIf(engine.missing)(`what an earlier version has stored on ${engine.name}`, () => {
    let opened: Awaited<ReturnType<typeof engine.open>>
    let chain: FixtureChain
    let node: FakeNode
    let gateway: ConnectorProcess
    let url: string
    /** The canonical blocks when the earlier version stopped. */
    let published: string[]
    /** Of the embedded queue it cannot be chosen; a broker is shared with other tests. */
    const name = engine.name === 'embedded' ? fixtureChainName : `chain${crypto.randomUUID().slice(0, 8)}`
    const topic = (message: string) => `headrace.evm.1_0_0.${name}_${message}`
    const settings = () => ['--queue', opened.url, '--set', `rpc=${node.rpc}`, '--set', `chain=${name}`]

    beforeAll(async () => {
      opened = await engine.open()
      await (engine.name === 'embedded' ? restoreFile(opened.url) : restoreRecords(opened.url, name))
      chain = await createFixtureChain()
      node = await startFakeNode({ chain: chain.chain })
      chain.reorganiseFirst()
      published = (await chainContent(node.rpc, 0, chain.chain.head)).blocks
      gateway = startConnector(['serve', '--queue', opened.url, '--port', '0'])
      const [address] = (await once(createInterface(gateway.child.stdout!), 'line')) as [string]
      url = address
    })

    afterAll(async () => {
      gateway?.child.kill('SIGTERM')
      expect(await gateway?.ended).toMatchObject({ code: 0 })
      await node?.close()
      await opened?.remove()
    })

    async function read(query: string): Promise<Page> {
      const key = fixture.keys[engine.name === 'embedded' ? 'embedded' : 'kafka']
      const headers = { authorization: `Bearer ${key}` }
      const response = await fetch(`${url}/api/v1/data/${topic('Block')}?${query}`, { headers })
      expect(response.status, await response.clone().text()).toBe(200)
      return (await response.json()) as Page
    }

    test('is what its connector has published', async () => {
      const { data } = await read('order=asc&limit=1000')
      expect(data.map(({ key }) => key)).toEqual(published)
      expect(await connector('verify', 'examples/evm', ...settings(), '--full')).toMatchObject({ code: 0, stderr: '' })
    })

    test('is continued by a run, which reverts blocks of it, exactly once', async () => {
      const before = await read('order=asc&limit=1000&view=log')
      chain.reorganiseAgain()
      const { head } = chain.chain
      const run = await connector('run', 'examples/evm', ...settings(), '--set', 'start=0', '--set', `end=${head}`)
      expect(run).toMatchObject({ code: 0 })

      const { blocks } = await chainContent(node.rpc, 0, head)
      const canonical = await read('order=asc&limit=1000')
      expect(canonical.data.map(({ key }) => key)).toEqual(blocks)
      const log = await read('order=asc&limit=1000&view=log')
      expect(log.data.slice(0, before.data.length)).toEqual(before.data)
      expect(log.data.map(({ seq }) => Number(seq))).toEqual(log.data.map((_, index) => index))
      expect(log.data.slice(before.data.length).filter(({ op }) => op === 'revert')).toHaveLength(2)
      expect(await connector('verify', 'examples/evm', ...settings(), '--full')).toMatchObject({ code: 0, stderr: '' })
    })

    // A topic that is created again has another id, so cursors of another Kafka are not valid.
    if (engine.name === 'embedded')
      test('is read from the cursors that its readers have', async () => {
        const log = await read('order=asc&limit=1000&view=log')
        const after = await read(`order=asc&limit=1000&view=log&cursor=${fixture.logCursor}`)
        expect(after.data.length).toBeGreaterThan(0)
        expect(after.data).toEqual(log.data.slice(-after.data.length))
        // As of the end of the topic at that time.
        const { data } = await read(`order=asc&limit=1000&cursor=${fixture.cursor}`)
        expect(data.map(({ key }) => key)).toEqual(published.slice(5))
      })
  })

async function restoreFile(url: string): Promise<void> {
  const folder = url.slice('embedded:'.length)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'queue.db'), await readCompressed(fixtureFiles.embedded))
}

async function restoreRecords(url: string, name: string): Promise<void> {
  const lines = (await readCompressed(fixtureFiles.kafka)).toString().trimEnd().split('\n')
  const records = lines.map((line): StoredRecord => JSON.parse(line))
  const queue = await openQueue(url)
  await createSystemTopics(queue)
  const topics = new Set(records.map(({ topic }) => topic).filter((topic) => !topic.startsWith('_headrace.')))
  await queue.createTopics([...topics].map((topic) => ({ name: renamed(topic, name) })))
  // The partition of a writer is chosen by its name.
  const ofWriter = checkpointPartition(`headrace.evm.1_0_0/${name}`)
  const byWriter: readonly string[] = [systemTopics.checkpoints, systemTopics.reorgs]
  await queue.append(
    records.map(({ topic, key, value, headers, partition, time }) => ({
      topic: renamed(topic, name),
      partition: byWriter.includes(topic) ? ofWriter : partition,
      time,
      key: key === null ? null : renamedBytes(key, name),
      value: value === null ? null : renamedBytes(value, name),
      headers: headers.map(([header, content]) => ({ key: header, value: Buffer.from(content, 'base64') })),
    })),
  )
  await queue.close()
}

function renamed(text: string, name: string): string {
  return text.replaceAll(fixtureChainName, name)
}

/** The new name has as many bytes as the old one. */
function renamedBytes(base64: string, name: string): Buffer {
  return Buffer.from(renamed(Buffer.from(base64, 'base64').toString('latin1'), name), 'latin1')
}
