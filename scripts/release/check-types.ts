import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import type { PackedRegistry } from '../../packages/testbed/registry/start-registry.ts'
import { typeToEnd, userEnvironment } from '../../packages/testbed/registry/user-command.ts'
import { type CheckResult, makeCheck } from './check-table.ts'

const compilers = { '5.9': '5.9.3', '7.0': '7.0.2' }
/** Each `moduleResolution` with its `module`. */
const resolutions = { nodenext: 'nodenext', bundler: 'esnext' }
const templates = ['blank', 'transform', 'evm-blocks', 'evm-events']
/** Their further dependencies. */
const usedByTemplates = ['@types/node@24.19.2', 'ethers@6.17.0', 'vitest@5.1.0']

/**
 * Compiles an import of every entry point of every package, with declarations, and a project from each template, with its
 * own settings.
 */
export async function checkTypes(registry: PackedRegistry, folder: string): Promise<CheckResult[]> {
  await installProject(registry, folder)
  for (const [moduleResolution, module] of Object.entries(resolutions)) {
    const compilerOptions = { ...strict, module, moduleResolution }
    await writeFile(join(folder, `${moduleResolution}.json`), JSON.stringify({ compilerOptions, include: ['src'] }))
  }
  for (const template of templates) await makeProject(template, folder, registry)
  const results: CheckResult[] = []
  for (const [name, version] of Object.entries(compilers)) {
    const compile = async (config: string) => {
      const tsc = join(folder, 'node_modules', `typescript-${version}`, 'bin/tsc')
      const options = { cwd: folder, reject: false, all: true } as const
      const { exitCode, all } = await execa(process.execPath, [tsc, '-p', config], options)
      return exitCode === 0 ? undefined : all
    }
    for (const moduleResolution of Object.keys(resolutions))
      results.push(await makeCheck(`TypeScript ${name}`, moduleResolution, () => compile(`${moduleResolution}.json`)))
    for (const template of templates)
      results.push(await makeCheck(`TypeScript ${name}`, template, () => compile(join(template, 'tsconfig.json'))))
  }
  return results
}

async function makeProject(template: string, folder: string, registry: PackedRegistry): Promise<void> {
  const line = `npx create-connector ${template} --template ${template} --no-install --yes`
  await typeToEnd(`${line} && npx connector codegen ${template}`, folder, userEnvironment(registry))
}

async function installProject(registry: PackedRegistry, folder: string): Promise<void> {
  await mkdir(join(folder, 'src'), { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }))
  const names = registry.tarballs.map(({ name, version }) => `${name}@${version}`)
  const tools = Object.values(compilers).map((version) => `typescript-${version}@npm:typescript@${version}`)
  await execa('npm', ['install', ...names, ...tools, ...usedByTemplates, '--loglevel=error'], {
    cwd: folder,
    env: userEnvironment(registry),
    extendEnv: false,
  })
  for (const { name } of registry.tarballs) {
    const manifest = JSON.parse(await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8'))
    const entries = Object.keys(manifest.exports).filter((entry) => !entry.endsWith('.json'))
    const imports = entries.map((entry, at) => `import * as entry${at} from '${name}${entry.slice(1)}'\n`)
    const used = entries.map((_, at) => `entry${at}`).join(', ')
    const source = `${imports.join('')}console.log(${used})\n`
    await writeFile(join(folder, 'src', `${name.replace('/', '-')}.ts`), source)
  }
}

/** Declarations are checked, too, because they must not depend on settings of a project. */
const strict = {
  target: 'es2024',
  lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  skipLibCheck: false,
}
