import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadProject } from '@headrace/catalog'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Answers } from '../project/answers.ts'
import { makeProjectFiles } from '../project/project-files.ts'
import { type ProjectFile, writeFiles } from '../project/write-project.ts'
import { packageManagers } from '../set-up/package-manager.ts'
import { listTemplates } from './template.ts'

const templates = await listTemplates(fileURLToPath(new URL('../../../../templates', import.meta.url)))

function answersFor(template: string, values: Partial<Answers> = {}): Answers {
  return {
    ...{ dir: '/demo', template, name: '@acme/my.demo', package: 'my-demo', owner: 'Ac_me-1', packageManager: 'npm' },
    ...(template === 'evm-events' && { contract: {} }),
    ...values,
  }
}

function textOf(files: readonly ProjectFile[], path: string): string {
  const file = files.find((one) => one.path === path)
  if (!file) throw new Error(`There is no ${path}.`)
  return Buffer.from(file.content).toString()
}

describe.each(templates.map((template) => [template.name, template] as const))('%s', (name, template) => {
  test('has a complete template.json', () => {
    expect(template).toMatchObject({
      title: expect.stringMatching(/\S/),
      description: expect.stringMatching(/^\S.{10,70}$/),
      language: expect.stringMatching(/^(typescript|python|go)$/),
    })
    expect(template.steps.map((step) => step.name)).toContain('install')
    expect(template.next).toEqual(['cd {dir}', '{npm} run dev'])
  })

  test('makes a complete project with all tokens replaced', async () => {
    const files = await makeProjectFiles(template, answersFor(name))
    for (const path of [
      ...['.env.example', '.github/workflows/ci.yml', '.gitignore', 'Dockerfile', 'README.md', 'manifest.yaml'],
      'package.json',
    ])
      expect(files.map((file) => file.path)).toContain(path)
    for (const { path, content } of files)
      expect(`${path}: ${Buffer.from(content).toString()}`).not.toMatch(/(?<!\$)\{\{\w/)
    expect(new Set(files.map(({ path }) => path)).size).toBe(files.length)
  })

  test('pins its dependencies, and the packages of this repository at one version', async () => {
    const { version } = (await import('../../package.json', { with: { type: 'json' } })).default
    const { dependencies, devDependencies } = JSON.parse(
      textOf(await makeProjectFiles(template, answersFor(name)), 'package.json'),
    ) as Record<string, Record<string, string> | undefined>
    for (const [dependency, pinned] of Object.entries({ ...dependencies, ...devDependencies }))
      expect([dependency, pinned]).toEqual([
        dependency,
        dependency.startsWith('@headrace/') ? version : expect.stringMatching(/^\d+\.\d+\.\d+$/),
      ])
  })

  test('has a manifest without a mistake or a warning, for the name and the owner that were given', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'create-connector-templates-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await writeFiles(folder, await makeProjectFiles(template, answersFor(name)))
    const { project, problems } = await loadProject(folder)
    expect(problems).toEqual([])
    expect(project?.manifest).toMatchObject({ owner: 'Ac_me-1', package: 'my-demo', id: expect.any(String) })
  })

  test.each(packageManagers)('contains the commands of %s if it is the package manager', async (packageManager) => {
    const files = await makeProjectFiles(template, answersFor(name, { packageManager }))
    expect(textOf(files, 'README.md')).toContain(`${packageManager} run dev`)
    expect(textOf(files, '.github/workflows/ci.yml')).toContain(
      `${packageManager} ${packageManager === 'npm' ? 'ci' : 'install'}`,
    )
  })
})
