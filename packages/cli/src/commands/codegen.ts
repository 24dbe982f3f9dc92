import { join, relative } from 'node:path'
import type { FolderChange } from '@headrace/codegen'
import { UserError } from '@headrace/queue'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addFolderArgument } from '../options/settings-options.ts'
import { addExample, addResultAction, type Results } from '../output/result.ts'
import { loadConnectorProject } from '../project/load-connector.ts'

export function addCodegenCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('codegen')
    .description('generate TypeScript from the manifest and the .proto files, into src/generated')
  addFolderArgument(command).option('--check', 'change nothing; exit with 1 if the files are not up to date')
  addResultAction(command, 'print one JSON object per changed file', context, generate)
  addExample(command, 'connector codegen examples/evm --check')
}

async function* generate(dir: string, { check }: { readonly check?: true }, context: CommandContext): Results {
  const project = await loadConnectorProject(dir, context)
  const { applyChanges, compareFolder, generateCode } = await import('@headrace/codegen')
  const folder = join(project.dir, 'src/generated')
  const changes = await compareFolder(folder, await generateCode(project))
  if (!check) await applyChanges(folder, changes)
  const changed = changes.map(({ path, change }) => ({ file: relative(process.cwd(), join(folder, path)), change }))
  yield {
    json: () => changed,
    text: () => changed.map(({ file, change }) => `${change.padEnd(7)}  ${file}\n`).join(''),
  }
  if (check && changes.length > 0) throw filesDiffer(folder, changes)
}

function filesDiffer(folder: string, changes: readonly FolderChange[]): UserError {
  return new UserError(
    'generated_files_differ',
    `${changes.length} of the files in ${relative(process.cwd(), folder)} do not match the manifest and the .proto ` +
      'files. Run `connector codegen` and commit its result.',
  )
}
