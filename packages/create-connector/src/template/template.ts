import { isUtf8 } from 'node:buffer'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '@headrace/queue'
import { packageFolder } from '../package-folder.ts'
import type { ProjectFile } from '../project/write-project.ts'

export interface Template {
  readonly name: string
  readonly folder: string
  readonly title: string
  readonly description: string
  readonly language: 'typescript' | 'python' | 'go'
  readonly steps: readonly TemplateStep[]
  /** `{dir}` is the project's folder, `{npm}` the package manager. */
  readonly next: readonly string[]
}

/** A step whose name begins with `install` needs the network. */
export interface TemplateStep {
  readonly name: string
  readonly run: readonly string[]
  readonly about?: string
}

const templateManifest = 'template.json'

const templatesFolder: string = join(packageFolder, 'templates')

export async function listTemplates(folder: string = templatesFolder): Promise<Template[]> {
  const names = await readdir(folder)
  const templates = await Promise.all(
    names.filter((name) => existsSync(join(folder, name, templateManifest))).map((name) => readTemplate(folder, name)),
  )
  const placeOf = ({ name }: Template) => (name === defaultTemplate ? '' : name)
  return templates.sort((left, right) => (placeOf(left) < placeOf(right) ? -1 : 1))
}

export const defaultTemplate = 'blank'

export async function findTemplate(name: string): Promise<Template> {
  const templates = await listTemplates()
  const found = templates.find((template) => template.name === name)
  if (found) return found
  const known = templates.map((template) => template.name).join(', ')
  throw new UserError('unknown_template', `There is no template "${name}". --template must be one of ${known}.`)
}

async function readTemplate(parent: string, name: string): Promise<Template> {
  const folder = join(parent, name)
  const text = await readFile(join(folder, templateManifest), 'utf8')
  return { ...(JSON.parse(text) as Omit<Template, 'name' | 'folder'>), name, folder }
}

export type Tokens = Readonly<Record<string, string>>

export async function readTemplateFiles({ folder }: Template, tokens: Tokens): Promise<ProjectFile[]> {
  const paths = (await listFiles(folder)).filter((path) => path !== templateManifest)
  const files = await Promise.all(
    paths.map(async (path) => ({
      path: projectPath(path),
      content: fillIn(await readFile(join(folder, path)), tokens),
    })),
  )
  return files.sort((left, right) => (left.path < right.path ? -1 : 1))
}

/** The recursive `readdir` gives no correct `parentPath` in the zip files of Yarn. */
async function listFiles(folder: string, parent = ''): Promise<string[]> {
  const entries = await readdir(join(folder, parent), { withFileTypes: true })
  const paths = entries.map(async (entry) => {
    const path = `${parent}${entry.name}`
    return entry.isDirectory() ? listFiles(folder, `${path}/`) : [path]
  })
  return (await Promise.all(paths)).flat()
}

/** npm changes or omits these files in packages, and tools would act on them in the repository. */
const renamed: Readonly<Record<string, string>> = {
  _dockerignore: '.dockerignore',
  '_env.example': '.env.example',
  _gitattributes: '.gitattributes',
  _github: '.github',
  _gitignore: '.gitignore',
  _npmrc: '.npmrc',
  '_package.json': 'package.json',
}

function projectPath(path: string): string {
  return path
    .split('/')
    .map((part) => renamed[part] ?? part)
    .join('/')
}

/** Binary files are not changed. A line that has only a token without text is removed. */
export function fillIn(bytes: Uint8Array, tokens: Tokens): string | Uint8Array {
  if (!isUtf8(bytes)) return bytes
  const text = Buffer.from(bytes).toString()
  const kept = text.replaceAll(/^\{\{([A-Za-z]+)\}\}\n/gm, (line, name: string) => (tokens[name] === '' ? '' : line))
  return kept.replaceAll(/\{\{([A-Za-z]+)\}\}/g, (token, name: string) => tokens[name] ?? token)
}
