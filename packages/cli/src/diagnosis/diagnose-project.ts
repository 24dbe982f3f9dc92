import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { loadProject, resolveSettings, type Settings } from '@headrace/catalog'
import { errorReason, type Finding, HeadraceError } from '@headrace/queue'
import type { CommandContext } from '../command-context.ts'
import { withEnvFile } from '../env-file/with-env-file.ts'
import type { SettingsOptions } from '../options/settings-options.ts'
import { messageOf } from '../remedy-text.ts'
import { type FindingGroup, finding } from './diagnose-machine.ts'

export async function diagnoseProject(
  dir: string,
  { config, set }: SettingsOptions,
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
    const { environment } = await withEnvFile(dir, context)
    const settings = await resolveSettings(project.manifest, {
      environment: environment.variables,
      ...(config !== undefined && { file: config }),
      ...(set && { sets: set }),
      setsOption: '--set',
    })
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

interface Address {
  readonly name: string
  readonly url: URL
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && /^(https?|wss?):\/\//.test(value) && URL.canParse(value)
}

async function* tryAddresses(addresses: readonly Address[]): AsyncGenerator<Finding> {
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
