import { randomUUID } from 'node:crypto'
import type { ContractFiles } from '../abi/contract-files.ts'
import { type Clone, readLocalPackages, useLocalPackages } from '../local-packages/local-package.ts'
import { packageVersion } from '../package-folder.ts'
import { addNode } from '../set-up/node-version.ts'
import { installCommands, packageManagerFiles, withPackageManager } from '../set-up/package-manager.ts'
import { readTemplateFiles, type Template, type Tokens } from '../template/template.ts'
import type { Answers } from './answers.ts'
import type { ProjectFile } from './write-project.ts'

export async function makeProjectFiles(template: Template, answers: Answers, clone?: Clone): Promise<ProjectFile[]> {
  const { packageManager, packageManagerVersion: version } = answers
  const contract = await filesOfContract(answers)
  const ofTemplate = await readTemplateFiles(template, { ...tokensOf(answers), ...contract.tokens })
  const replaced = new Set(contract.files.map(({ path }) => path))
  const files = [...ofTemplate.filter(({ path }) => !replaced.has(path)), ...contract.files]
  const packages = clone ? await readLocalPackages(clone) : []
  const edited = files.map((file) => {
    if (file.path !== 'package.json') return file
    let content = file.content.toString()
    if (answers.ownNode) content = addNode(content)
    if (version !== undefined) content = withPackageManager(content, packageManager, version)
    return { ...file, content: clone ? useLocalPackages(content, packages) : content }
  })
  return [...edited, ...packages.map(({ tarball }) => tarball), ...packageManagerFiles(packageManager, version)]
}

async function filesOfContract({ contract }: Answers): Promise<ContractFiles> {
  if (!contract) return { tokens: {}, files: [] }
  const { contractFiles } = await import('../abi/contract-files.ts')
  return contractFiles(contract)
}

function tokensOf(answers: Answers): Tokens {
  const { name, package: packageName, owner, packageManager, packageManagerVersion } = answers
  const install = installCommands(packageManager, packageManagerVersion)
  return {
    name,
    package: packageName,
    owner,
    id: randomUUID(),
    version: packageVersion(),
    npm: packageManager,
    install: install.everything,
    installProduction: install.production,
  }
}
