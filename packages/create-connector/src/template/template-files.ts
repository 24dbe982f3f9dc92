import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProjectFile } from '../project/project-file.ts'
import { type Template, templateManifest } from './template.ts'

/** What each `{{token}}` in the text of a template stands for. */
export type Tokens = Readonly<Record<string, string>>

/** The files of a template as its project has them, in order of path: renamed, with the tokens filled in. */
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

/**
 * Paths of the files in a folder, with `/`. Not by a recursive `readdir`: within a zip, where Yarn keeps packages, its
 * entries have no usable `parentPath`.
 */
async function listFiles(folder: string, parent = ''): Promise<string[]> {
  const entries = await readdir(join(folder, parent), { withFileTypes: true })
  const paths = entries.map(async (entry) => {
    const path = `${parent}${entry.name}`
    return entry.isDirectory() ? listFiles(folder, `${path}/`) : [path]
  })
  return (await Promise.all(paths)).flat()
}

/** Names that files cannot have in a repository of templates, or in an npm package. */
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

function fillIn(content: Uint8Array, tokens: Tokens): string | Uint8Array {
  const text = textOf(content)
  return text?.replaceAll(/\{\{([A-Za-z]+)\}\}/g, (token, name: string) => tokens[name] ?? token) ?? content
}

/** `undefined` where the bytes are no text. */
function textOf(content: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    return undefined
  }
}
