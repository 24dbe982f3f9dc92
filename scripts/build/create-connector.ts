// Completes `dist` of create-connector after tsc: one bundle with its dependencies, so that npx downloads little and
// starts fast, their licences, and a copy of the templates.
import { cpSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'packages/create-connector')
const dist = join(folder, 'dist')

for (const file of globSync('**/*.{js,js.map}', { cwd: dist })) rmSync(join(dist, file))
const bundle = await rolldown({
  cwd: folder,
  input: { main: 'src/main.ts', index: 'src/index.ts' },
  platform: 'node',
  // The `connector` command adds its own commander commands, which works only with the same commander.
  external: ['commander'],
  resolve: { conditionNames: ['@headrace/source', 'node', 'import', 'default'] },
  transform: { target: 'node20.12' },
})
const { output } = await bundle.write({ dir: dist, format: 'esm', chunkFileNames: '[name]-[hash].js' })
await bundle.close()

const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
writeFileSync(join(dist, 'LICENSES.txt'), licencesOf(modules))

// npm packs nothing from outside a package's folder.
const templates = join(folder, 'templates')
rmSync(templates, { recursive: true, force: true })
cpSync(join(root, 'templates'), templates, { recursive: true })

/** The licences of all bundled packages. */
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
