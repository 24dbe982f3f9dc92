import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { loadProject, type Project, resolveSettings, type Settings } from '@headrace/catalog'
import { type Finding, HeadraceError } from '@headrace/queue'
import type { CommandContext } from '../command-context.ts'
import { withEnvFile } from '../env-file/with-env-file.ts'
import type { SettingsOptions } from '../options/settings-options.ts'
import { messageOf } from '../remedy-text.ts'
import { diagnoseSource } from './diagnose-source.ts'
import { type FindingGroup, finding } from './finding-group.ts'

/** Checks the manifest in a folder, the settings of its connector and its source. Without a manifest checks nothing. */
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
  const settings = project && (await settingsOf(project, dir, options, context))
  const source = settings && !isFinding(settings) ? diagnoseSource(settings) : undefined
  const all = [...findings, ...(settings && isFinding(settings) ? [settings] : [])]
  return [{ about: 'manifest', title: `manifest and settings: ${file}`, findings: all }, ...(source ? [source] : [])]
}

async function settingsOf(
  { manifest, dir: place }: Project,
  dir: string,
  { config, set }: SettingsOptions,
  context: CommandContext,
): Promise<Settings | Finding> {
  try {
    const { environment } = await withEnvFile(dir, context)
    return await resolveSettings(manifest, {
      environment: environment.variables,
      ...(config !== undefined && { file: config }),
      ...(set && { sets: set }),
      setsOption: '--set',
    })
  } catch (error) {
    if (!(error instanceof HeadraceError)) throw error
    const { code } = error
    const remedy = 'Give this command the settings of a run: variables, .env, --config and --set.'
    return finding({ severity: 'error', code, place, message: messageOf(error), remedy })
  }
}

function isFinding(one: Settings | Finding): one is Finding {
  return 'severity' in one
}
