import { isAbsolute, relative, resolve } from 'node:path'
import { formatProblem, loadProject, type Problem } from '@headrace/catalog'
import type { Command } from 'commander'
import { type AgainstResult, compareAgainst } from '../against/compare-against.ts'
import type { CommandContext } from '../command-context.ts'
import { exitCodes } from '../exit-code.ts'
import { readFolder } from '../options/settings-options.ts'
import { addExample, addResultAction, type Results } from '../output/result.ts'

interface ManifestValidateOptions {
  readonly against?: string
  readonly kafkaConfig?: string
  readonly strict?: true
  readonly json?: true
}

export function addManifestValidateCommand(manifest: Command, context: CommandContext): void {
  const command = manifest
    .command('validate')
    .description('check the manifest and the .proto files of connectors')
    .argument('[dir...]', 'folders of connectors (default: ".")', addFolder)
    .option(
      '--against <version>',
      'find changes that break readers since an earlier version, in a git ref, a folder or a queue',
    )
    .option('--kafka-config <file>', 'client.properties of the Kafka that --against names (HEADRACE_KAFKA_CONFIG)')
    .option('--strict', 'treat warnings as errors')
    .hook('preAction', (command) => {
      const { against, kafkaConfig } = command.opts<ManifestValidateOptions>()
      if (kafkaConfig !== undefined && against === undefined)
        command.error('error: --kafka-config needs --against kafka://…')
    })
  addResultAction(command, 'print one JSON object per folder', context, validate)
  addExample(command, 'connector manifest validate examples/evm --strict --against origin/main')
}

function addFolder(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, readFolder(text)]
}

async function* validate(
  dirs: readonly string[],
  { against, strict, json, ...queueOptions }: ManifestValidateOptions,
  { environment, note, inform, exitWith }: CommandContext,
): Results {
  for (const dir of dirs.length > 0 ? dirs : ['.']) {
    const { project, problems: found } = await loadProject(resolve(dir))
    const compared =
      project && against !== undefined
        ? await compareAgainst(project, { ...queueOptions, against }, { environment, inform })
        : undefined
    const problems = [...found, ...(compared?.problems ?? [])].map(
      (problem): Problem => (strict ? { ...problem, severity: 'error' } : problem),
    )
    const valid = problems.every(({ severity }) => severity !== 'error')
    const comparison = compared && { version: against, topics: compared.topics, nothing: compared.nothing }
    const facts = [...(compared ? [formatComparison(`${against}`, compared)] : []), ...(valid ? ['valid'] : [])]
    const lines = [
      ...problems.map((problem) => formatProblem({ ...problem, file: shortPath(problem.file) })),
      ...facts.map((fact) => (dirs.length > 1 ? `${dir}: ${fact}` : fact)),
    ]
    const annotations = environment.githubActions
      ? problems.map((problem) => formatAnnotation(problem, environment.githubWorkspace)).join('')
      : ''
    yield {
      json: () => [{ dir, valid, problems, against: comparison }],
      text: () => lines.map((line) => `${line}\n`).join('') + annotations,
    }
    // GitHub reads both streams. Standard output must stay JSON.
    if (json && annotations !== '') note(annotations.trimEnd())
    if (!valid) exitWith(exitCodes.mistake)
  }
}

function shortPath(file: string): string {
  const path = relative(process.cwd(), file)
  return path.startsWith('..') || isAbsolute(path) ? file : path
}

function formatComparison(against: string, { nothing, topics }: AgainstResult): string {
  return nothing === undefined
    ? `compared with ${against}: ${topics.join(', ')}`
    : `nothing to compare with in ${against}: ${nothing}`
}

/** A workflow command of GitHub Actions. */
export function formatAnnotation(
  { severity, code, file, line, column, message }: Problem,
  workspace: string = process.cwd(),
): string {
  const properties = { file: relative(workspace, file), line, col: column, title: code }
  const list = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
  return `::${severity} ${list.join(',')}::${escapeData(message)}\n`
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
