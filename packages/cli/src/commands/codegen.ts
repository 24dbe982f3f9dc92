import { join, relative } from 'node:path'
import type { FolderChange } from '@headrace/codegen'
import { UserError } from '@headrace/queue'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addExample } from '../options/example.ts'
import { addFolderArgument } from '../options/folder-argument.ts'
import { jsonLine } from '../output/json-line.ts'
import { loadConnectorProject } from '../project/load-connector-project.ts'

interface CodegenOptions {
  readonly check?: true
  readonly json?: true
}

export function addCodegenCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('codegen')
    .description('generate TypeScript from the manifest and the .proto files, into src/generated')
  addFolderArgument(command)
    .option('--check', 'change nothing; exit with 1 if the files are not up to date')
    .option('--json', 'print one JSON object per changed file')
    .action(async (dir: string, options: CodegenOptions) => {
      const project = await loadConnectorProject(dir, context)
      const { applyChanges, compareFolder, generateCode } = await import('@headrace/codegen')
      const folder = join(project.dir, 'src/generated')
      const changes = await compareFolder(folder, await generateCode(project))
      if (!options.check) await applyChanges(folder, changes)
      await context.output.write(changes.map((change) => formatChange(folder, change, options)).join(''))
      if (options.check && changes.length > 0) throw filesDiffer(folder, changes)
    })
  addExample(command, 'connector codegen examples/evm --check')
}

function formatChange(folder: string, { path, change }: FolderChange, { json }: CodegenOptions): string {
  const file = relative(process.cwd(), join(folder, path))
  return json ? jsonLine({ file, change }) : `${change.padEnd(7)}  ${file}\n`
}

function filesDiffer(folder: string, changes: readonly FolderChange[]): UserError {
  return new UserError(
    'generated_files_differ',
    `${changes.length} of the files in ${relative(process.cwd(), folder)} do not match the manifest and the .proto ` +
      'files. Run `connector codegen` and commit its result.',
  )
}
