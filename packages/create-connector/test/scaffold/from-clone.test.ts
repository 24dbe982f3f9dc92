import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, inject, onTestFinished, test } from 'vitest'
import { typeLine, typeToEnd, userEnvironment } from '../../../testbed/registry/user-command.ts'

const registry = inject('registry')
const root = fileURLToPath(new URL('../../../..', import.meta.url))

test.skipIf(!registry)('a clone makes a project with its packages, and replaces them later', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-clone-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 }))
  const env = userEnvironment(registry!)
  const project = join(folder, 'demo')
  const line = `npm run create -- ${project} --yes`
  const made = await typeToEnd(line, root, env)
  for (const step of ['install', 'codegen', 'typecheck', 'test'])
    expect(made.output()).toMatch(new RegExp(`^ {2}${step} +\\d+\\.\\d s$`, 'm'))
  // The registry of this test has our packages too: none of the project's may be from there.
  const { packages } = JSON.parse(await readFile(join(project, 'package-lock.json'), 'utf8'))
  const ours = Object.entries<{ resolved: string }>(packages).filter(([path]) =>
    /node_modules\/(@headrace\/|create-connector$)/.test(path),
  )
  expect(ours.length).toBeGreaterThan(5)
  for (const [, { resolved }] of ours) expect(resolved).toMatch(/^file:headrace-packages\//)

  const dev = typeLine('npm run dev', project, env)
  onTestFinished(() => dev.kill())
  await expect.poll(() => dev.output()).toContain('demo_Rate')
  await dev.interrupt()

  await writeFile(join(project, 'notes.txt'), 'mine')
  const again = await typeToEnd(line, root, env)
  expect(again.output()).toContain('already has the packages of this clone')
  expect(again.output()).toMatch(/^ {2}codegen +\d+\.\d s$/m)
  expect(await readFile(join(project, 'notes.txt'), 'utf8')).toBe('mine')
})
