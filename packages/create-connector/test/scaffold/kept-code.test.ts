import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { preparePython } from '../../../testbed/children/python.ts'
import { environment } from '../../../testbed/environment.ts'

const root = join(import.meta.dirname, '../../../..')

test('the generated code in the template python is up to date', async ({ skip }) => {
  const template = join(root, 'templates/python')
  const files = ['requirements.txt', 'requirements-dev.txt'].map((name) => readFile(join(template, name), 'utf8'))
  const packages = (await Promise.all(files)).flatMap((text) => text.match(/^[\w-]+==.*$/gm) ?? [])
  const python = await preparePython(packages)
  if ('unavailable' in python) {
    if (environment.ci) throw new Error(python.unavailable)
    return skip(python.unavailable)
  }
  const made = await regenerate(template, 'src/*_pb2.py*', { '.venv': dirname(python.folder) })
  expect(Object.keys(made)).toHaveLength(4)
  expect(made).toEqual(await contents(template, 'src/*_pb2.py*'))
})

test.skipIf(spawnSync('go', ['version']).status !== 0)(
  'the generated code in the template go is up to date',
  async () => {
    const template = join(root, 'templates/go')
    const made = await regenerate(template, '**/*.pb.go')
    expect(Object.keys(made)).toHaveLength(2)
    expect(made).toEqual(await contents(template, '**/*.pb.go'))
  },
)

/** Runs the script `codegen` of a template in a copy without the generated files, and reads these. */
async function regenerate(template: string, pattern: string, links: Record<string, string> = {}) {
  const project = await mkdtemp(join(tmpdir(), 'headrace-kept-code-'))
  onTestFinished(() => rm(project, { recursive: true }))
  await cp(template, project, { recursive: true })
  for (const path of Object.keys(await contents(project, pattern))) await rm(join(project, path))
  await mkdir(join(project, 'node_modules/@headrace'), { recursive: true })
  const linked = { 'node_modules/@headrace/sdk': join(root, 'packages/sdk'), ...links }
  for (const [path, target] of Object.entries(linked)) await symlink(target, join(project, path))
  const { scripts } = JSON.parse(await readFile(join(project, '_package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const path = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  await execa(scripts.codegen!, { shell: true, cwd: project, env: { PATH: path } })
  return contents(project, pattern)
}

async function contents(folder: string, pattern: string): Promise<Record<string, string>> {
  const paths = globSync(pattern, { cwd: folder }).sort()
  const texts = paths.map(async (path) => [path, await readFile(join(folder, path), 'utf8')])
  return Object.fromEntries(await Promise.all(texts))
}
