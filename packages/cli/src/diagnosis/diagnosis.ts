import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { loadProject, type Settings } from '@headrace/catalog'
import { errorReason, type Finding, HeadraceError } from '@headrace/queue'
import type { CommandContext } from '../command-context.ts'
import { withEnvFile } from '../env-file/with-env-file.ts'
import { resolveSettingsOf, type SettingsOptions } from '../options/settings-options.ts'
import { messageOf } from '../remedy-text.ts'

export interface FindingGroup {
  readonly about: 'queue' | 'node' | 'manifest' | 'source' | 'port'
  readonly title: string
  readonly findings: AsyncIterable<Finding> | Iterable<Finding>
}

/** As in `engines` of package.json. */
const needed = '22.22'

export function diagnoseNode(version: string = process.versions.node): FindingGroup {
  const isTooOld = version.localeCompare(needed, 'en', { numeric: true }) < 0
  const found = finding({
    severity: 'error',
    code: 'unsupported_node',
    place: `Node ${version}`,
    message: `This is Node ${version}. The command needs ${needed} or newer.`,
    remedy: 'Install a newer Node, or start the command with "npx", which uses the Node of the project.',
  })
  return { about: 'node', title: `Node ${version}`, findings: isTooOld ? [found] : [] }
}

export function diagnosePort(port: number, host: string): FindingGroup {
  return { about: 'port', title: `port ${port} of ${host}, for "connector serve"`, findings: tryPort(port, host) }
}

async function* tryPort(port: number, host: string): AsyncGenerator<Finding> {
  const server = createServer()
  try {
    await once(server.listen(port, host), 'listening')
    server.close()
    await once(server, 'close')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    yield finding({
      severity: 'warning',
      code: code === 'EADDRINUSE' ? 'port_in_use' : 'port_unavailable',
      place: `${host}:${port}`,
      message:
        code === 'EADDRINUSE'
          ? `Port ${port} is in use by another program, which may be a gateway.`
          : `A program cannot listen on ${host}:${port}: ${message}.`,
      remedy: 'Give "connector serve" another port with --port, or end the program that uses this one.',
    })
  }
}

export async function diagnoseProject(
  dir: string,
  options: SettingsOptions,
  context: CommandContext,
): Promise<FindingGroup[]> {
  const file = join(resolve(dir), 'manifest.yaml')
  if (!existsSync(file)) return []
  const { project, problems } = await loadProject(resolve(dir))
  const findings = problems.map(({ severity, code, message, ...place }) =>
    finding({
      ...{ severity, code, message, place: `${place.file}:${place.line}:${place.column}` },
      remedy: 'Correct it, and check it with "connector manifest validate".',
    }),
  )
  const groups: FindingGroup[] = [{ about: 'manifest', title: `manifest and settings: ${file}`, findings }]
  if (!project) return groups
  try {
    const { environment, envFile } = await withEnvFile(dir, context)
    const settings = await resolveSettingsOf(project, options, { environment, envFile, warn: () => {} })
    return [...groups, ...diagnoseSource(settings)]
  } catch (error) {
    if (!(error instanceof HeadraceError)) throw error
    const { code } = error
    const remedy = 'Give this command the settings of a run: variables, .env, --config and --set.'
    findings.push(finding({ severity: 'error', code, place: project.dir, message: messageOf(error), remedy }))
    return groups
  }
}

const answerMs = 5000

/** Any HTTP answer will do, also an error. */
function diagnoseSource({ values }: Settings): FindingGroup[] {
  const addresses = Object.entries(values).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => (isAddress(one) ? [{ name, url: new URL(one.replace(/^ws/, 'http')) }] : [])),
  )
  if (addresses.length === 0) return []
  const shown = addresses.map(({ name, url }) => `${name} ${url.origin}`).join(', ')
  return [{ about: 'source', title: `source: ${shown}`, findings: tryAddresses(addresses) }]
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && /^(https?|wss?):\/\//.test(value) && URL.canParse(value)
}

async function* tryAddresses(addresses: readonly { name: string; url: URL }[]): AsyncGenerator<Finding> {
  for (const { name, url } of addresses) {
    const cause = await reasonForNoAnswer(url)
    if (cause === undefined) continue
    // Shows the origin only: the path and the query may hold a key.
    yield finding({
      severity: 'error',
      code: 'source_unavailable',
      place: url.origin,
      message: `The setting "${name}" names ${url.origin}, which cannot be reached: ${cause}.`,
      remedy: 'Check the address, and that the service runs and accepts connections from this machine.',
    })
  }
}

async function reasonForNoAnswer(url: URL): Promise<string | undefined> {
  try {
    const response = await fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(answerMs) })
    await response.body?.cancel()
    return undefined
  } catch (error) {
    if ((error as Error).name === 'TimeoutError') return `no answer within ${answerMs / 1000} s`
    return errorReason((error as Error).cause ?? error)
  }
}

function finding(found: Omit<Finding, 'repaired'>): Finding {
  return { ...found, repaired: false }
}
