// Completes `dist` of two packages after tsc. Each becomes bundles with its dependencies and their licences:
// create-connector, so that npx downloads little and starts fast; client, so that a browser loads a single file for each entry point.
import { cpSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type InputOptions, rolldown } from 'rolldown'

const root = join(import.meta.dirname, '../..')
const scaffold = join(root, 'packages/create-connector')

await bundle(scaffold, {
  input: { main: 'src/main.ts', index: 'src/index.ts' },
  platform: 'node',
  // `connector new` adds this package's arguments to a command of its own, so both must use one copy of commander.
  external: ['commander'],
  transform: { target: 'node20.12' },
})
const browser: InputOptions = { platform: 'neutral', transform: { target: 'es2024' } }
await bundle(
  join(root, 'packages/client'),
  { ...browser, input: { index: 'src/index.ts' } },
  { ...browser, input: { 'token/index': 'src/token/index.ts' } },
)

// npm packs nothing from outside a package's folder.
const templates = join(scaffold, 'templates')
rmSync(templates, { recursive: true, force: true })
cpSync(join(root, 'templates'), templates, { recursive: true })

/** Files of different bundles share no code. */
async function bundle(folder: string, ...bundles: readonly InputOptions[]): Promise<void> {
  const dist = join(folder, 'dist')
  for (const file of globSync('**/*.{js,js.map}', { cwd: dist })) rmSync(join(dist, file))
  const conditionNames = ['@headrace/source', 'node', 'import', 'default']
  const modules: string[] = []
  for (const options of bundles) {
    const built = await rolldown({ cwd: folder, resolve: { conditionNames }, ...options })
    const { output } = await built.write({ dir: dist, format: 'esm', chunkFileNames: '[name]-[hash].js' })
    await built.close()
    modules.push(...output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : [])))
  }
  writeFileSync(join(dist, 'LICENSES.txt'), licencesOf(modules))
}

function licencesOf(files: readonly string[]): string {
  const folders = files.flatMap(
    (file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file.replaceAll('\\', '/'))?.[0] ?? [],
  )
  return [...new Set(folders)]
    .sort()
    .map((dependency) => {
      const { name, version, license } = JSON.parse(readFileSync(join(dependency, 'package.json'), 'utf8'))
      const file = readdirSync(dependency).find((entry) => /^licen[cs]e/i.test(entry))
      const text = file ? readFileSync(join(dependency, file), 'utf8').trim() : `Licence: ${license}`
      return `${name} ${version}\n\n${text}\n`
    })
    .join('\n---\n\n')
}
