import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export interface LoadWatch {
  /** Paths, newest first. */
  files(): string[]
  stop(): void
}

export function watchLoading(): LoadWatch {
  const urls: string[] = []
  const hooks = registerHooks({
    load(url, context, nextLoad) {
      if (url.startsWith('file:') && !url.includes('/node_modules/')) urls.push(url)
      return nextLoad(url, context)
    },
  })
  return {
    files: () => urls.map((url) => fileURLToPath(url)).reverse(),
    stop: () => hooks.deregister(),
  }
}

/** Finds the place of a syntax error, as `FILE:LINE`. Node reports it only when it checks a single file. */
export async function findSyntaxError(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    const report = await check(file)
    const line = /^\[stdin\]:(\d+)$/m.exec(report)?.[1]
    if (line !== undefined) return `${file}:${line}`
  }
  return undefined
}

/** Standard error of `node --check`. */
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
