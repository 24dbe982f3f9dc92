import { createTestProject } from '@headrace/sdk/testing'
import { expect, test, vi } from 'vitest'
import { chainConnector } from './chain/connector.ts'
import { copyChain } from './chain/copy.ts'

test('the writer of a run compresses the topics as the manifest says', async () => {
  const copy = await copyChain()
  await copy.rewrite((manifest) => manifest.replace('    key: Hash\n', '    key: Hash\n    compression: zstd\n'))
  const project = await createTestProject(copy.dir)
  const opening = vi.spyOn(project.queue, 'openWriter')
  await project.run(chainConnector())
  const named = opening.mock.calls.map(([{ compression }]) => [...compression!])
  expect(named).toEqual([[[expect.stringMatching(/_Block$/), 'zstd']]])
  await project.close()
  await copy.remove()
})
