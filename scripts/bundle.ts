// Bundles create-connector with what it depends on, so that it is small and at hand as soon as it is downloaded.
import { globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const folder = join(import.meta.dirname, '../packages/create-connector')
const dist = join(folder, 'dist')

for (const file of globSync('**/*.{js,js.map}', { cwd: dist })) rmSync(join(dist, file))
const bundle = await rolldown({
  cwd: folder,
  input: { main: 'src/main.ts', index: 'src/index.ts' },
  platform: 'node',
  // The `connector` command hands its own commands to it, so both must have the same one.
  external: ['commander'],
  resolve: { conditionNames: ['@headrace/source', 'node', 'import', 'default'] },
  transform: { target: 'node20.12' },
})
const { output } = await bundle.write({ dir: dist, format: 'esm', chunkFileNames: '[name]-[hash].js' })
await bundle.close()

const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
writeFileSync(join(dist, 'LICENSES.txt'), licencesOf(modules))

/** The licences of what is in the bundle, as they ask for. */
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
