import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { HeadraceError, UserError } from '@headrace/queue'
import type { Connector, Schema } from '@headrace/sdk'
import { resolveOwnPackages } from './resolve-own-packages.ts'
import { findSyntaxError, watchLoading } from './syntax-error-place.ts'

/**
 * Imports a connector's module. TypeScript is not compiled first: Node strips the types.
 *
 * @param run - Path, relative to the connector's folder.
 * @throws {UserError} `connector_not_loaded`: there is no such module, it cannot be loaded, or it exports no connector.
 */
export async function importConnector(dir: string, run: string): Promise<Connector<Schema, unknown>> {
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
  const loading = watchLoading()
  try {
    return (await import(pathToFileURL(file).href)) as { default?: unknown }
  } catch (error) {
    if (error instanceof HeadraceError) throw error
    if (isGeneratedMissing(error))
      throw notLoaded(`${file} imports code that has not been generated. Run: connector codegen ${dir}`, {
        cause: error,
      })
    const place = placeOf(error) ?? (error instanceof SyntaxError ? await findSyntaxError(loading.files()) : undefined)
    throw notLoaded(`${file} could not be loaded. ${describeLoadError(error, place ?? file)}`, { cause: error })
  } finally {
    loading.stop()
  }
}

function isGeneratedMissing(error: unknown): boolean {
  const { code, url } = error as NodeJS.ErrnoException & { url?: string }
  return code === 'ERR_MODULE_NOT_FOUND' && url !== undefined && url.includes('/generated/')
}

/** The first place of the stack that is not in node_modules. */
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
