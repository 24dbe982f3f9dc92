import { join, relative, resolve } from 'node:path'
import { type Environment, readEnvironment } from '../environment.ts'
import { readEnvFile } from './read-env-file.ts'

/** The variables that a `.env` file has added to an environment. */
export interface EnvFile {
  readonly file: string
  /** Names, without those of variables that the environment sets itself. */
  readonly variables: readonly string[]
  /** Place of each variable, for messages: `.env:1`, relative to the current folder. */
  readonly places: Readonly<Record<string, string>>
}

export interface EnvFileContext {
  /** `undefined`: there is no such file, or it adds no variable. */
  readonly envFile: EnvFile | undefined
}

/**
 * Adds the variables of the `.env` file in a connector's folder to the environment. A variable that the environment sets
 * itself wins, even if it is empty.
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

/** Reports which variables came from a `.env` file. */
export function noteEnvFile({ envFile, inform }: EnvFileContext & { inform(text: string): void }): void {
  if (envFile) inform(`read from ${envFile.file}: ${envFile.variables.join(', ')}`)
}
