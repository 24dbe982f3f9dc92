import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '@headrace/queue'
import { packageFolder } from '../package-folder.ts'

/** What a project can be made from: a folder with the files of the project and a `template.json`. */
export interface Template {
  readonly name: string
  /** Where its files are. */
  readonly folder: string
  readonly title: string
  /** One line. */
  readonly description: string
  readonly language: 'typescript' | 'python' | 'go'
  readonly steps: readonly TemplateStep[]
  /** Commands for whoever has made the project. `{dir}` is its folder, `{npm}` the package manager. */
  readonly next: readonly string[]
}

/** A command that sets a new project up. A step whose name begins with `install` needs the network. */
export interface TemplateStep {
  readonly name: string
  /** The program and its arguments. `{npm}` is the package manager. */
  readonly run: readonly string[]
  /** Printed before a step that takes long: what it does, and why. */
  readonly about?: string
}

/** The file of a template that says what it is, and that projects do not get. */
export const templateManifest = 'template.json'

/** Where the templates of this package are. */
const templatesFolder: string = join(packageFolder, 'templates')

/** In order of name, the default one first. */
export async function listTemplates(folder: string = templatesFolder): Promise<Template[]> {
  const names = await readdir(folder)
  const templates = await Promise.all(
    names.filter((name) => existsSync(join(folder, name, templateManifest))).map((name) => readTemplate(folder, name)),
  )
  return templates.sort((left, right) => rank(left) - rank(right) || (left.name < right.name ? -1 : 1))
}

export const defaultTemplate = 'blank'

/** @throws {UserError} `unknown_template` */
export async function findTemplate(name: string, folder: string = templatesFolder): Promise<Template> {
  const templates = await listTemplates(folder)
  const found = templates.find((template) => template.name === name)
  if (found) return found
  const known = templates.map((template) => template.name).join(', ')
  throw new UserError('unknown_template', `There is no template "${name}". --template takes ${known}.`)
}

async function readTemplate(parent: string, name: string): Promise<Template> {
  const folder = join(parent, name)
  const text = await readFile(join(folder, templateManifest), 'utf8')
  return { ...(JSON.parse(text) as Omit<Template, 'name' | 'folder'>), name, folder }
}

function rank({ name }: Template): number {
  return name === defaultTemplate ? 0 : 1
}
