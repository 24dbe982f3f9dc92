import { existsSync, globSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArguments, printHelp } from '../build/arguments.js'

printHelp(`
node --conditions=@headrace/source scripts/lint/check-structure.ts

Checks imports between packages, lengths and names of files, and that the pages of error codes and of the specification
agree with the code. It has no options.
`)
parseArguments({ options: {} })

/** Packages that are published with what they depend on. */
const bundled = ['create-connector', '@headrace/client', '@headrace/explorer']
const maxLines = 400
const bannedWords = ['util', 'utils', 'helper', 'helpers', 'common', 'misc']
const errorPage = 'docs/reference/errors.md'
const architecturePage = 'docs/internals/architecture.md'
const specificationPage = 'docs/internals/specification.md'
const root = join(import.meta.dirname, '../..')
const allowedImports = readAllowedImports()

const problems = [
  ...sourceFiles().flatMap(checkFile),
  ...packageFolders().flatMap(checkPackage),
  ...(await checkErrorPage()),
  ...checkSpecificationPage(),
]
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1

function checkFile(file: string): string[] {
  const found: string[] = []
  const lines = read(file).trimEnd().split('\n').length
  if (lines > maxLines) found.push(`${file}: ${lines} lines. Split it: at most ${maxLines} are allowed.`)
  const banned = file.split(/[/.-]/).find((word) => bannedWords.includes(word))
  if (banned) found.push(`${file}: "${banned}" says nothing about what is in it. Name it for what it holds.`)
  return found
}

function checkPackage(folder: string): string[] {
  const manifest = JSON.parse(read(`${folder}/package.json`)) as {
    name: string
    dependencies?: Record<string, string>
    peerDependencies?: Record<string, string>
    devDependencies?: Record<string, string>
  }
  const allowed = allowedImports.get(manifest.name)
  if (!allowed) return [`${folder}/package.json: "${manifest.name}" has no row in ${architecturePage}.`]
  const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
  const found = declared
    .filter((name) => name.startsWith('@headrace/') && !allowed.includes(name))
    .map((name) => `${folder}/package.json: ${manifest.name} must not depend on ${name}.`)
  // Tests may use other packages of this repository, which are development dependencies, too.
  const bundles = Object.keys((bundled.includes(manifest.name) && manifest.devDependencies) || {}).filter(
    (name) => !name.startsWith('@headrace/') || allowed.includes(name),
  )
  const usable = new Set([manifest.name, ...declared, ...bundles, ...builtinModules])
  for (const file of glob(`${folder}/src/**/*.{ts,tsx}`).filter((name) => !/\.(test|bench)\.ts$/.test(name)))
    for (const name of importedPackages(read(file)))
      if (!usable.has(name)) found.push(`${file}: imports ${name}, which ${folder}/package.json does not list.`)
  return found
}

/** Package → packages of this repository that it may import, without its tests: the table of the architecture page. */
function readAllowedImports(): ReadonlyMap<string, readonly string[]> {
  const rows = read(architecturePage).matchAll(/^\| `([a-z-]+)` \|[^|]*\| ([^|]*) \|/gm)
  return new Map(
    Array.from(rows, ([, name, imports]) => [
      fullName(name!),
      imports === '–' ? [] : imports!.split(', ').map(fullName),
    ]),
  )
}

function fullName(folder: string): string {
  return folder === 'create-connector' ? folder : `@headrace/${folder}`
}

/** Names of packages; code inside comments, such as examples, does not count. */
function importedPackages(source: string): Set<string> {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '')
  const specifiers = [...code.matchAll(/(?:^|[\s;}])(?:from|import)\s*\(?\s*'([^'.$][^']*)'/g)].map(
    (match) => match[1]!,
  )
  const names = specifiers.filter((specifier) => !specifier.startsWith('node:')).map(packageName)
  return new Set(names)
}

function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

/** Every code in a package's table has a row on the page, and every row a code. */
async function checkErrorPage(): Promise<string[]> {
  const rows = new Set([...read(errorPage).matchAll(/^\| `([a-z0-9_]+)`/gm)].map((match) => match[1]!))
  const codes = new Map<string, string>()
  for (const file of glob('packages/*/src/**/errors.ts'))
    for (const code of await errorCodes(file)) codes.set(code, file)
  const missing = [...codes].filter(([code]) => !rows.has(code))
  const unknown = [...rows].filter((code) => !codes.has(code))
  return [
    ...missing.map(([code, file]) => `${file}: "${code}" has no row in ${errorPage}.`),
    ...unknown.map((code) => `${errorPage}: "${code}" is in no package's table of error codes.`),
  ]
}

async function errorCodes(file: string): Promise<string[]> {
  const module = (await import(pathToFileURL(join(root, file)).href)) as Record<string, unknown>
  const tables = Object.entries(module).filter(([name]) => name.endsWith('ErrorCodes'))
  return tables.flatMap(([, codes]) => codes as string[])
}

/** In each row, the files exist, and the tests are in the file that is named before them. */
function checkSpecificationPage(): string[] {
  const found: string[] = []
  const rows = [...read(specificationPage).matchAll(/^\| \d+ \|.*\| (.*) \| (.*) \|$/gm)]
  if (rows.length === 0) found.push(`${specificationPage}: there is no row of the form "| 1 | … | where | tests |".`)
  for (const [, where, proof] of rows) {
    let file = ''
    for (const [, path, test] of `${where} ${proof}`.matchAll(/`([^`]+)`|"([^"]+)"/g)) {
      if (path !== undefined) {
        file = path.startsWith('examples/') ? path : `packages/${path}`
        if (!existsSync(join(root, file))) found.push(`${specificationPage}: there is no file "${file}".`)
      } else
        for (const title of test!.split(' › '))
          if (!["'", '"', '`'].some((quote) => read(file).includes(quote + title + quote)))
            found.push(`${specificationPage}: there is no test "${title}" in ${file}.`)
    }
  }
  return found
}

function sourceFiles(): string[] {
  return glob('{packages,examples,scripts,site,templates}/**/*.{ts,tsx,js}').filter(
    (file) => !basename(file).endsWith('.d.ts'),
  )
}

function packageFolders(): string[] {
  return glob('packages/*/package.json').map((file) => file.slice(0, -'/package.json'.length))
}

function glob(pattern: string): string[] {
  const exclude = (name: string) => ['node_modules', 'dist', 'generated'].includes(basename(name))
  return globSync(pattern, { cwd: root, exclude }).sort()
}

function read(file: string): string {
  try {
    return readFileSync(join(root, file), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
