import { readFile } from 'node:fs/promises'
import type { Template } from '../template/template.ts'
import { readTemplateFiles } from '../template/template-files.ts'
import type { Answers } from './answers.ts'
import { generateFiles } from './generated-files.ts'
import type { ProjectFile } from './project-file.ts'

/** Makes all files of a project in memory, generated code included. */
export async function makeProjectFiles(template: Template, answers: Answers): Promise<ProjectFile[]> {
  const files = await readTemplateFiles(template, await tokensOf(answers))
  if (template.language !== 'typescript') return files
  return [...files, ...(await generateFiles(files))]
}

async function tokensOf({ name, package: packageName, owner }: Answers): Promise<Record<string, string>> {
  return { name, package: packageName, owner, version: await ownVersion() }
}

/** All packages of the project have one version. */
async function ownVersion(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
