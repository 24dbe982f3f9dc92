import { join, relative, resolve } from 'node:path'
import { type Environment, readEnvironment } from '../environment.ts'
import { readEnvFile } from './read-env-file.ts'

/** What a `.env` file has added to an environment. */
export interface EnvFile {
  readonly file: string
  /** Names of the variables that count; not of those that the environment sets itself. */
  readonly variables: readonly string[]
  /** Where each of these is, for messages: `.env:1`, from the working directory. */
  readonly places: Readonly<Record<string, string>>
}

/** Says what was taken from such a file. */
export interface EnvFileContext {
  /** `undefined` where there is no such file, or nothing in it that counts. */
  readonly envFile: EnvFile | undefined
}

/**
 * Adds the variables of the `.env` in a connector's folder to the environment. What the environment sets itself goes
 * before them, be it empty.
 *
 * @throws {UserError} `invalid_env_file`
 */
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

/** Says what came from a `.env` file, on standard error. */
export function noteEnvFile({ envFile, inform }: EnvFileContext & { inform(text: string): void }): void {
  if (envFile) inform(`read from ${envFile.file}: ${envFile.variables.join(', ')}`)
}
