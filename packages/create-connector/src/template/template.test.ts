import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readTemplateFiles, type Template } from './template.ts'

async function createTemplate(files: Readonly<Record<string, string | Uint8Array>>): Promise<Template> {
  const folder = await mkdtemp(join(tmpdir(), 'create-connector-template-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return { folder, name: 'test', title: '', description: '', language: 'typescript', steps: [], next: [] }
}

test('files get the names that they have in a project', async () => {
  const template = await createTemplate({
    'template.json': '{}',
    '_package.json': '{}',
    '_env.example': '',
    _gitignore: '',
    '_github/workflows/ci.yml': '',
    'src/__init__.py': '',
    'src/template.json.ts': '',
  })
  const files = await readTemplateFiles(template, {})
  expect(files.map(({ path }) => path)).toEqual([
    '.env.example',
    '.github/workflows/ci.yml',
    '.gitignore',
    'package.json',
    'src/__init__.py',
    'src/template.json.ts',
  ])
})

test('tokens are replaced, and unknown tokens are kept', async () => {
  const text = '{{name}} {{name}} {{ name }} $x{{name}} {{unknown}} {chain}'
  const [file] = await readTemplateFiles(await createTemplate({ a: text }), { name: '$&x' })
  expect(file!.content).toBe('$&x $&x {{ name }} $x$&x {{unknown}} {chain}')
})

test('binary files are not changed', async () => {
  const bytes = Buffer.concat([Buffer.from('{{name}}'), Buffer.from([0xff, 0xfe, 0])])
  const [file] = await readTemplateFiles(await createTemplate({ a: bytes }), { name: 'x' })
  expect(Buffer.from(file!.content)).toEqual(bytes)
})
