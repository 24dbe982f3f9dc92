import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { anyAbi } from '../any-event.ts'
import { expectSound, makeLinkedProject } from '../linked-project.ts'

test('the types, the manifest, the generated code and the tests of an evm-blocks project pass', async () => {
  await using project = await makeLinkedProject('--template', 'evm-blocks')
  await expectSound(project)
})

test('the types, the manifest, the generated code and the tests of an evm-events project with every type pass', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-abi-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const abi = join(folder, 'Anything.json')
  await writeFile(abi, JSON.stringify({ contractName: 'Anything', abi: anyAbi(), bytecode: '0x' }))
  const address = `0x${'1'.repeat(40)}`
  await using project = await makeLinkedProject('--template', 'evm-events', '--abi', abi, '--address', address)
  await expectSound(project)
})
