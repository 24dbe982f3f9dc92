import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const packages = join(import.meta.dirname, '../..')

/**
 * The declaration of each export of a built module, by name, without comments; functions and values before types.
 *
 * @param module a .d.ts file, e.g. `packages/sdk/dist/index.d.ts`.
 */
export function exportedDeclarations(module: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const { name, file } of exportsOf(module)) found.set(name, declarationOf(name, file))
  // Functions and values begin with a lower-case letter.
  const order = ([name]: [string, string]) => (/^[a-z]/.test(name) ? ` ${name}` : name)
  return new Map([...found].sort((one, other) => (order(one) < order(other) ? -1 : 1)))
}

interface Export {
  readonly name: string
  readonly file: string
}

/** The names in `export { … } from '…'`, and the files that declare them. */
function exportsOf(module: string): Export[] {
  const source = readFileSync(module, 'utf8')
  return [...source.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)].flatMap(([, names, from]) =>
    names!
      .split(',')
      .map((name) => name.replace(/\btype /, '').trim())
      .filter(Boolean)
      .map((name) => resolveExport(name, from!, module)),
  )
}

function resolveExport(name: string, from: string, module: string): Export {
  if (from.startsWith('.')) return { name, file: join(dirname(module), from.replace(/\.ts$/, '.d.ts')) }
  const [, part, subpath = ''] = from.match(/^@headrace\/(\w+)(\/\w+)?$/)!
  const index = join(packages, part!, 'dist', subpath, 'index.d.ts')
  return exportsOf(index).find((one) => one.name === name)!
}

function declarationOf(name: string, file: string): string {
  const source = readFileSync(file, 'utf8').replace(/^[ \t]*\/\*\*.*?\*\/[ \t]*\n/gms, '')
  const start = source.search(
    new RegExp(`^export (declare )?(abstract )?(function|const|interface|type|class) ${name}\\b`, 'm'),
  )
  if (start < 0) throw new Error(`${file} declares no ${name}.`)
  return source
    .slice(start, endOf(source, start))
    .replace(/^export (declare )?/, '')
    .replace(/;$/gm, '')
    .replace(/= \n(?=\{)/, '= ')
    .replace(/\n \| /g, '\n| ')
    .replace(/^( {4})+/gm, (indent) => ' '.repeat(indent.length / 2))
}

/** The end of the first line at which no bracket is open and that the next line does not continue. */
function endOf(source: string, start: number): number {
  let depth = 0
  for (let at = start; at < source.length; at++) {
    if ('{(['.includes(source[at]!)) depth++
    else if ('})]'.includes(source[at]!)) depth--
    else if (
      source[at] === '\n' &&
      depth === 0 &&
      /^(export|import|interface|type|declare|\/\/|$)/.test(source.slice(at + 1, at + 10))
    )
      return at
  }
  return source.length
}
