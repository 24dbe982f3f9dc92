import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { formatProblem, InvalidProjectError, loadProject, type Project } from '@headrace/catalog'
import { HeadraceError, UserError } from '@headrace/queue'
import type { Connector, Schema } from '@headrace/sdk'
import type { CommandContext } from '../command-context.ts'

/** Reports the project's warnings. Throws its errors. */
export async function loadConnectorProject(dir: string, { warn }: Pick<CommandContext, 'warn'>): Promise<Project> {
  const { project, problems } = await loadProject(resolve(dir))
  if (!project) throw new InvalidProjectError(problems)
  for (const problem of problems) warn(formatProblem(problem))
  return project
}

/** With `dryRun` nothing is committed, so a child process must not wait for commits. */
export async function loadConnector(project: Project, dryRun: boolean): Promise<Connector<Schema, unknown>> {
  const { dir, manifest } = project
  const { run = 'src/connector.ts', topics } = manifest
  if (typeof run === 'string') return importConnector(dir, run)
  const { processConnector } = await import('@headrace/sdk')
  const messages = topics.map(({ message }) => message)
  const limits = { pendingUnits: 0xffff_ffff }
  return processConnector({ command: run.command, dir, messages, ...(dryRun && { limits }) })
}

async function importConnector(dir: string, run: string): Promise<Connector<Schema, unknown>> {
  const file = resolve(dir, run)
  if (!existsSync(file))
    throw notLoaded(`There is no file ${file}, which "run" in the manifest names. Create it, or correct "run".`)
  resolveOwnPackages()
  const module = await importModule(file, dir)
  if (!isConnector(module.default))
    throw notLoaded(
      `${file} does not export a connector. It must have \`export default defineConnector({ schema, read })\`.`,
    )
  return module.default
}

async function importModule(file: string, dir: string): Promise<{ default?: unknown }> {
  /** The last one first. */
  const loaded: string[] = []
  const hooks = registerHooks({
    load(url, context, nextLoad) {
      if (url.startsWith('file:') && !url.includes('/node_modules/')) loaded.unshift(fileURLToPath(url))
      return nextLoad(url, context)
    },
  })
  try {
    return (await import(pathToFileURL(file).href)) as { default?: unknown }
  } catch (error) {
    if (error instanceof HeadraceError) throw error
    if (isGeneratedMissing(error))
      throw notLoaded(`${file} imports code that has not been generated. Run: connector codegen ${dir}`, {
        cause: error,
      })
    const place = placeOf(error) ?? (error instanceof SyntaxError ? await findSyntaxError(loaded) : undefined)
    throw notLoaded(`${file} could not be loaded. ${describeLoadError(error, place ?? file)}`, { cause: error })
  } finally {
    hooks.deregister()
  }
}

function isGeneratedMissing(error: unknown): boolean {
  const { code, url } = error as NodeJS.ErrnoException & { url?: string }
  return code === 'ERR_MODULE_NOT_FOUND' && url !== undefined && url.includes('/generated/')
}

function placeOf(error: unknown): string | undefined {
  const stack = error instanceof Error ? error.stack : undefined
  return /file:\/\/(?!.*node_modules)[^\s)]+:\d+(?::\d+)?/.exec(stack ?? '')?.[0]
}

function describeLoadError(error: unknown, place: string): string {
  return error instanceof Error ? `${error.name}: ${error.message} (${place})` : String(error)
}

function isConnector(value: unknown): value is Connector<Schema, unknown> {
  const candidate = value as Partial<Connector<Schema, unknown>> | null | undefined
  return typeof candidate?.read === 'function' && typeof candidate.schema?.messages === 'object'
}

function notLoaded(message: string, options?: ErrorOptions): UserError {
  return new UserError('connector_not_loaded', message, options)
}

/** Packages `@headrace/*` that the connector's folder cannot resolve come from the installation of this command. */
function resolveOwnPackages(): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      try {
        return nextResolve(specifier, context)
      } catch (error) {
        const missing = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND'
        if (!missing || !specifier.startsWith('@headrace/')) throw error
        return nextResolve(specifier, { ...context, parentURL: import.meta.url })
      }
    },
  })
}

/** Finds the place of a syntax error, as `FILE:LINE`. Node reports it only when it checks a single file. */
async function findSyntaxError(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    const report = await check(file)
    const line = /^\[stdin\]:(\d+)$/m.exec(report)?.[1]
    if (line !== undefined) return `${file}:${line}`
  }
  return undefined
}

async function check(file: string): Promise<string> {
  try {
    const source = await readFile(file, 'utf8')
    const checking = promisify(execFile)(process.execPath, ['--check', '--input-type=module', '-'])
    checking.child.stdin!.on('error', () => {}).end(/\.[mc]?ts$/.test(file) ? stripTypeScriptTypes(source) : source)
    return (await checking).stderr
  } catch (error) {
    return (error as { readonly stderr?: string }).stderr ?? ''
  }
}
