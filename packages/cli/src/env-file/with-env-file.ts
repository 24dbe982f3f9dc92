import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { UserError } from '@headrace/queue'
import { type Environment, readEnvironment } from '../environment.ts'

export interface EnvFile {
  readonly file: string
  /** Variable → its place for messages: `.env:1`. Without variables that the environment sets itself. */
  readonly places: Readonly<Record<string, string>>
}

export interface EnvFileContext {
  readonly envFile: EnvFile
}

/** Adds the variables of a folder's `.env` file. One that the environment sets itself wins, even if it is empty. */
export async function withEnvFile<C extends { readonly environment: Environment }>(
  dir: string,
  context: C,
): Promise<C & EnvFileContext> {
  const file = join(resolve(dir), '.env')
  const { variables } = context.environment
  const added = [...(await readEnvFile(file))].filter(([name]) => variables[name] === undefined)
  const values = Object.fromEntries(added.map(([name, { value }]) => [name, value]))
  const places = Object.fromEntries(added.map(([name, { line }]) => [name, `${relative('', file)}:${line}`]))
  return { ...context, environment: readEnvironment({ ...values, ...variables }), envFile: { file, places } }
}

export function noteEnvFile({ envFile, inform }: EnvFileContext & { inform(text: string): void }, prefix = ''): void {
  const names = Object.keys(envFile.places).filter((name) => name.startsWith(prefix))
  if (names.length > 0) inform(`read from ${envFile.file}: ${names.join(', ')}`)
}

/** Other variables in the file are for other programs. */
const ownNames = /^(?:CONNECTOR|HEADRACE)_/

export async function readEnvFile(path: string): Promise<ReadonlyMap<string, { value: string; line: number }>> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw invalid(`${path} cannot be read: ${error.code ?? error.message}. It must be a file that this user may read.`)
  })
  if (!bytes) return new Map()
  if (!isUtf8(bytes)) throw invalid(`${path} is not UTF-8 text. Save it as UTF-8.`)
  const text = bytes.toString()
  const { lines, mistake } = checkEnvFile(text)
  if (mistake)
    throw invalid(
      `${path}:${mistake.line}:1: This line ${mistake.found}. ` +
        'Write NAME=value, NAME="a value with spaces or # in it", or # and a comment.',
    )
  return new Map(
    Object.entries(parseEnv(text.replace(/^\uFEFF/, ''))).flatMap(([name, value]) =>
      ownNames.test(name) && value !== undefined ? [[name, { value, line: lines.get(name)! }]] : [],
    ),
  )
}

export interface EnvFileCheck {
  /** Variable → its line, from 1. If a variable is set twice, Node uses the later line. */
  readonly lines: ReadonlyMap<string, number>
  /** The first line that Node would silently ignore or misread. */
  readonly mistake?: { readonly line: number; readonly found: string }
}

export function checkEnvFile(text: string): EnvFileCheck {
  const lines = new Map<string, number>()
  let rest = text.replaceAll('\r\n', '\n')
  for (let line = 1; rest !== ''; ) {
    const [entry = ''] = entryForm.exec(rest) ?? []
    if (entry === '') return { lines, mistake: { line, found: describeLine(rest.split('\n', 1)[0]!) } }
    const name = nameForm.exec(entry)?.[1]
    if (name !== undefined) lines.set(name, line)
    line += entry.split('\n').length - 1
    rest = rest.slice(entry.length)
  }
  return { lines }
}

const assignment = String.raw`(?:export[ \t]+)?[A-Za-z_][\w.-]*[ \t]*=[ \t]*`
const value = ['"[^"]*"', "'[^']*'", '`[^`]*`']
  .map((quoted) => String.raw`${quoted}[ \t]*(?:#.*)?`)
  .concat(String.raw`[^"'\`\s].*`, '')
  .join('|')
const comment = '#.*'

/** A variable with its value (of one or more lines), a comment or nothing, and the end of the line. */
const entryForm = new RegExp(String.raw`^\uFEFF?[ \t]*(?:${assignment}(?:${value})|${comment})?[ \t]*(?:\n|$)`)

const nameForm = /^\uFEFF?[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=/

/** Continues "This line". It quotes nothing, because any text may be a secret. */
function describeLine(line: string): string {
  const equals = line.indexOf('=')
  if (equals < 0) return 'has no "="'
  if (!new RegExp(`^\\s*${assignment}`).test(line)) return 'has no valid name before its "="'
  return 'has a value whose quote is not closed, or that continues after its closing quote'
}

function invalid(message: string): UserError {
  return new UserError('invalid_env_file', message)
}
