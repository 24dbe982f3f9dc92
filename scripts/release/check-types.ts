import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import type { PackedRegistry } from '../registry/start-registry.ts'
import { userEnvironment } from '../registry/user-environment.ts'
import { type CheckResult, makeCheck } from './check-table.ts'

const compilers = { '5.9': '5.9.3', '7.0': '7.0.2' }
const resolutions = { nodenext: 'nodenext', bundler: 'esnext' }

/** Compiles an import of every entry point of every package, declarations included, as a project with them does. */
export async function checkTypes(registry: PackedRegistry, folder: string): Promise<CheckResult[]> {
  const project = await installProject(registry, folder)
  const results: CheckResult[] = []
  for (const [version, compiler] of Object.entries(compilers))
    for (const [moduleResolution, module] of Object.entries(resolutions))
      results.push(
        await makeCheck(`TypeScript ${version}`, moduleResolution, async () => {
          const config = `tsconfig.${version}.${moduleResolution}.json`
          const compilerOptions = { ...strict, module, moduleResolution }
          await writeFile(join(project, config), JSON.stringify({ compilerOptions, include: ['src'] }))
          const tsc = join(project, 'node_modules', `typescript-${compiler}`, 'bin/tsc')
          const { exitCode, all } = await execa(process.execPath, [tsc, '-p', config], {
            cwd: project,
            reject: false,
            all: true,
          })
          return exitCode === 0 ? undefined : all
        }),
      )
  return results
}

async function installProject(registry: PackedRegistry, folder: string): Promise<string> {
  await mkdir(join(folder, 'src'), { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }))
  const names = registry.tarballs.map(({ name, version }) => `${name}@${version}`)
  const tools = Object.values(compilers).map((version) => `typescript-${version}@npm:typescript@${version}`)
  await execa('npm', ['install', ...names, ...tools, '@types/node@24.19.2', 'vitest@5.1.0', '--loglevel=error'], {
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
  return folder
}

/** The declarations are checked, too: those of ours must not lean on settings that a project may not have. */
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
