import { resolve } from 'node:path'
import { formatProblem, loadProject, type Problem } from '@headrace/catalog'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { exitCodes } from '../exit-code.ts'
import { formatAnnotation } from '../output/github-annotation.ts'
import { jsonLine } from '../output/json-line.ts'

interface ManifestValidateOptions {
  readonly strict?: true
  readonly json?: true
}

export function addManifestValidateCommand(manifest: Command, { environment, output, exitWith }: CommandContext): void {
  manifest
    .command('validate')
    .description('check the manifest and the .proto files of a connector')
    .argument('[dir]', 'folder of the connector', '.')
    .option('--strict', 'warnings are errors')
    .option('--json', 'a JSON object')
    .action(async (dir: string, { strict, json }: ManifestValidateOptions) => {
      const { problems: found } = await loadProject(resolve(dir))
      const problems = strict ? found.map((problem): Problem => ({ ...problem, severity: 'error' })) : found
      const valid = problems.every(({ severity }) => severity !== 'error')
      if (json) await output.write(jsonLine({ valid, problems }))
      else await output.write(formatReport(problems, valid))
      if (environment.githubActions && !json) await output.write(problems.map(formatAnnotation).join(''))
      if (!valid) exitWith(exitCodes.mistake)
    })
}

function formatReport(problems: readonly Problem[], valid: boolean): string {
  const lines = problems.map((problem) => `${formatProblem(problem)}\n`)
  return `${lines.join('')}${valid ? 'valid\n' : ''}`
}
