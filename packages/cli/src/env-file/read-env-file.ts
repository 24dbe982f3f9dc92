import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { UserError } from '@headrace/queue'
import { findEnvFileLines, findEnvFileMistake } from './env-file-mistake.ts'

/** Other variables in the file are for other programs. */
const ownNames = /^(?:CONNECTOR|HEADRACE)_/

/** A variable in a `.env` file. */
export interface EnvFileVariable {
  readonly value: string
  /** From 1. */
  readonly line: number
}

/**
 * Reads the variables `CONNECTOR_…` and `HEADRACE_…` of a `.env` file; `undefined` if there is no such file.
 *
 * @throws {UserError} `invalid_env_file`
 */
export async function readEnvFile(path: string): Promise<ReadonlyMap<string, EnvFileVariable> | undefined> {
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
