import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createSystemTopics,
  registerTopics,
  resolveSettings,
  resolveTopics,
  topicRegistrations,
} from '@headrace/catalog'
import { openQueue } from '@headrace/queue'
import { createKey } from '@headrace/server'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readEnvironment } from '../environment.ts'
import { loadConnectorProject } from '../project/load-connector.ts'
import { checkReset } from './reset-development.ts'

let folder: string
let queue: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-reset-development-'))
  queue = `embedded:${folder}/queue`
})
afterEach(() => rm(folder, { recursive: true }))

const context = { environment: readEnvironment({}), inform: () => {} }

async function makeProject(name: string): Promise<string> {
  const dir = join(folder, name)
  await mkdir(join(dir, 'proto'), { recursive: true })
  await writeFile(join(dir, 'manifest.yaml'), `package: ${name}\nowner: acme\nversion: 1.0.0\n`)
  const proto = `syntax = "proto3";\npackage acme.${name};\nmessage Tick {\n  uint64 Number = 1;\n}\n`
  await writeFile(join(dir, `proto/${name}.proto`), proto)
  return dir
}

/** Makes the topics of a project. */
async function register(dir: string): Promise<void> {
  const project = await loadConnectorProject(dir, { warn: () => {} })
  const settings = await resolveSettings(project.manifest, { environment: {} })
  const { instance, topics } = resolveTopics(project, settings)
  const opened = await openQueue(queue)
  await createSystemTopics(opened)
  await opened.createTopics(topics.map(({ name, partitions }) => ({ name, partitions })))
  await registerTopics(opened, topicRegistrations(project, instance, topics), { lastUnit: 0 })
  await opened.close()
}

test('a queue with only the topics of the connector is reset, and so is a queue that does not exist', async () => {
  const dir = await makeProject('clock')
  await checkReset(dir, { queue }, context)
  await register(dir)
  await checkReset(dir, { queue }, context)
})

test('a queue with the topics of another connector is not reset', async () => {
  const dir = await makeProject('clock')
  await register(await makeProject('watch'))
  await expect(checkReset(dir, { queue }, context)).rejects.toMatchObject({
    code: 'reset_refused',
    message: expect.stringContaining('acme.watch.1_0_0.watch_Tick'),
  })
})

test('a queue with API keys of production is not reset', async () => {
  const dir = await makeProject('clock')
  await register(dir)
  const opened = await openQueue(queue)
  await createKey(opened, { name: 'test', environment: 'development' })
  await opened.close()
  await checkReset(dir, { queue }, context)
  const again = await openQueue(queue)
  await createKey(again, { name: 'live', environment: 'production' })
  await again.close()
  await expect(checkReset(dir, { queue }, context)).rejects.toMatchObject({
    code: 'reset_refused',
    message: expect.stringContaining('production'),
  })
})

test('a queue on Kafka is not reset', async () => {
  const dir = await makeProject('clock')
  await expect(checkReset(dir, { queue: 'kafka://127.0.0.1:1' }, context)).rejects.toMatchObject({
    code: 'reset_refused',
    message: expect.stringContaining('connector checkpoint reset --start'),
  })
})
