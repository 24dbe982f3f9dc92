import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, inject, onTestFinished, test } from 'vitest'
import { userEnvironment } from '../../../../scripts/registry/user-environment.ts'

const registry = inject('registry')

test.skipIf(!registry)('the command installs from the packed packages alone and tells its version', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-install-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const user = { cwd: folder, env: userEnvironment(registry!), extendEnv: false } as const
  await execa('npm', ['install', '--prefix', folder, '@headrace/cli'], user)
  const { stdout } = await execa('npx', ['connector', '--version'], user)
  expect(stdout).toBe(registry!.tarballs.find(({ name }) => name === '@headrace/cli')?.version)
})
