import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { UserError } from '@headrace/queue'
import { pack } from 'tar-stream'
import type { Redact } from './redact.ts'
import type { SupportFiles } from './support-files.ts'

const folder = 'headrace-support'

const readme = `What "connector doctor --support-bundle" has found out on this machine, for a report of a problem.

It has names of hosts, topics, settings and variables, versions, sizes, states and times.
It should have no key, password, token, URL with a path, setting's value, or record.
Look at each file before you send it: you know what must not leave your company.
`

/** @throws {UserError} `file_exists` */
export function checkBundleFile(file: string): void {
  if (existsSync(file)) throw fileExists(file)
}

/**
 * Writes a new file for its owner alone. Returns the names of its files.
 *
 * @throws {UserError} `file_exists`, `output_failed`
 */
export async function writeSupportBundle(file: string, files: SupportFiles, redact: Redact): Promise<string[]> {
  const archive = pack()
  const texts = Object.entries(files).map(([name, content]) => [name, `${toJson(redact(content))}\n`] as const)
  const entries = [['README.txt', readme] as const, ...texts]
  for (const [name, text] of entries) archive.entry({ name: `${folder}/${name}`, mode: 0o600 }, text)
  archive.finalize()
  const bytes = await promisify(gzip)(await buffer(archive))
  try {
    await writeFile(file, bytes, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw fileExists(file)
    throw new UserError('output_failed', `The bundle cannot be written: ${message}. Name a file that can be created.`, {
      cause: error,
    })
  }
  return entries.map(([name]) => name)
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

function fileExists(file: string): UserError {
  return new UserError('file_exists', `${file} exists already, and is not overwritten. Name another file.`)
}
