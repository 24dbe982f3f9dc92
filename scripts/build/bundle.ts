// Completes `dist` of three packages after tsc. Each becomes bundles with its dependencies and their licences:
// create-connector, so that npx downloads little and starts fast; client, so that a browser loads a single file for
// each entry point; explorer, whose page loads nothing from elsewhere.
import { cpSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { type InputOptions, rolldown } from 'rolldown'
import { build } from 'vite'

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

await buildPage(join(root, 'packages/explorer'))

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

/** With compressed forms next to the files, for the gateway to send. */
async function buildPage(folder: string): Promise<void> {
  const built = await build({ configFile: join(folder, 'vite.config.ts'), logLevel: 'warn' })
  const page = join(folder, 'dist/page')
  for (const file of globSync('**/*.{html,js,css,svg}', { cwd: page })) {
    const bytes = readFileSync(join(page, file))
    writeFileSync(join(page, `${file}.br`), brotliCompressSync(bytes))
    writeFileSync(join(page, `${file}.gz`), gzipSync(bytes))
  }
  const chunks = [built].flat().flatMap((output) => ('output' in output ? output.output : []))
  const files = chunks.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : chunk.originalFileNames))
  writeFileSync(join(folder, 'dist/LICENSES.txt'), licencesOf(files.map((file) => resolve(folder, 'src/page', file))))
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
