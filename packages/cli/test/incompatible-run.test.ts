import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  createSystemTopics,
  loadProject,
  readRegistry,
  registerTopics,
  resolveSettings,
  resolveTopics,
  topicRegistrations,
} from '@headrace/catalog'
import { openQueue } from '@headrace/queue'
import { expect, onTestFinished, test } from 'vitest'
import { copyExample } from './project-copy.ts'
import { connector } from './whole-path/connector-process.ts'

test('a run that would break readers of its topics is refused with the place of the change, and changes nothing', async () => {
  const copy = await copyExample()
  onTestFinished(() => copy.remove())
  const url = `embedded:${join(copy.dir, 'queue')}`
  const file = join(copy.dir, 'proto/evm.proto')
  const before = await readFile(file, 'utf8')
  await writeFile(file, before.replace('uint64 Number', 'int32 Number'))
  const { project } = await loadProject(copy.dir)
  const settings = await resolveSettings(project!.manifest, { sets: ['rpc=http://127.0.0.1:1'] })
  const { instance, topics } = resolveTopics(project!, settings)
  const queue = await openQueue(url)
  await createSystemTopics(queue)
  await registerTopics(queue, topicRegistrations(project!, instance, topics))
  const registered = await readRegistry(queue)
  await queue.close()

  await writeFile(file, before)
  const line = before.split('\n').findIndex((text) => text.includes('uint64 Number')) + 1
  const { code, stdout, stderr } = await connector('run', copy.dir, '--queue', url, '--set', 'rpc=http://127.0.0.1:1')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('incompatible_schema')
  expect(stderr).toContain(`${file}:${line}:`)
  expect(stderr).toContain('Field \\"Number\\" of Block was int32 and is uint64.')

  const after = await openQueue(url)
  onTestFinished(() => after.close())
  expect(await readRegistry(after)).toEqual(registered)
  expect((await after.describe()).map(({ name }) => name).filter((name) => !name.startsWith('_headrace.'))).toEqual([])
})
