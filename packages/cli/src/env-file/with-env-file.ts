import { readFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { UserError } from '@headrace/queue'
import { type Environment, readEnvironment } from '../environment.ts'
import { findEnvFileLines, findEnvFileMistake } from './env-file-mistake.ts'

export interface EnvFile {
  readonly file: string
  /** Names, without those that the environment sets itself. */
  readonly variables: readonly string[]
  /** For messages: `.env:1`, relative to the current folder. */
  readonly places: Readonly<Record<string, string>>
}

export interface EnvFileContext {
  readonly envFile: EnvFile | undefined
}

/** Adds the variables of a folder's `.env` file. One that the environment sets itself wins, even if it is empty. */
export async function withEnvFile<C extends { readonly environment: Environment }>(
  dir: string,
  context: C,
): Promise<C & EnvFileContext> {
  const file = join(resolve(dir), '.env')
  const { variables } = context.environment
  const added = [...((await readEnvFile(file)) ?? [])].filter(([name]) => variables[name] === undefined)
  if (added.length === 0) return { ...context, envFile: undefined }
  const values = Object.fromEntries(added.map(([name, { value }]) => [name, value]))
  const places = Object.fromEntries(added.map(([name, { line }]) => [name, `${relative('', file)}:${line}`]))
  const environment: Environment = readEnvironment({ ...values, ...variables })
  return { ...context, environment, envFile: { file, variables: added.map(([name]) => name), places } }
}

export function noteEnvFile({ envFile, inform }: EnvFileContext & { inform(text: string): void }): void {
  if (envFile) inform(`read from ${envFile.file}: ${envFile.variables.join(', ')}`)
}

/** Other variables in the file are for other programs. */
const ownNames = /^(?:CONNECTOR|HEADRACE)_/

export async function readEnvFile(
  path: string,
): Promise<ReadonlyMap<string, { readonly value: string; readonly line: number }> | undefined> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw invalid(`${path} cannot be read: ${error.code ?? error.message}. It must be a file that this user may read.`)
  })
  if (!bytes) return undefined
  const text = decode(bytes, path)
  const mistake = findEnvFileMistake(text)
  if (mistake)
    throw invalid(
      `${path}:${mistake.line}:1: This line ${mistake.found}. ` +
        'Write NAME=value, NAME="a value with spaces or # in it", or # and a comment.',
    )
  const lines = findEnvFileLines(text)
  return new Map(
    Object.entries(parseEnv(text.replace(/^\uFEFF/, ''))).flatMap(([name, value]) =>
      ownNames.test(name) && value !== undefined ? [[name, { value, line: lines.get(name)! }]] : [],
    ),
  )
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw invalid(`${path} is not UTF-8 text. Save it as UTF-8.`, { cause })
  }
}

function invalid(message: string, options?: ErrorOptions): UserError {
  return new UserError('invalid_env_file', message, options)
}
