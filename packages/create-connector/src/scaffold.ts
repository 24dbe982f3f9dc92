import { basename, resolve } from 'node:path'
import { UserError } from '@headrace/queue'
import { type Clone, isProjectOfClone, refreshPackages } from './local-packages/local-package.ts'
import { collectAnswers } from './options/collect-answers.ts'
import { makeProjectFiles } from './project/project-files.ts'
import { writeProject } from './project/write-project.ts'
import type { ScaffoldContext, ScaffoldOptions } from './scaffold-context.ts'
import { bundledNode, machineNode, oldestNode } from './set-up/node-version.ts'
import { setUp } from './set-up/run-steps.ts'

const closingNote =
  'The last command publishes and serves records. It prints a curl command with a key: run that in a second terminal.'

/**
 * Checks everything before it writes the first file; a failure after that keeps the project. In a clone, only replaces
 * the packages of an existing project.
 */
export async function scaffold(
  folder: string | undefined,
  options: ScaffoldOptions,
  context: ScaffoldContext,
): Promise<void> {
  const { clone } = context
  if (clone && folder !== undefined && (await isProjectOfClone(resolve(folder))))
    return refresh(resolve(folder), clone, options, context)
  const { template, answers } = await collectAnswers(folder, options, context)
  const note = options.json ? () => {} : context.note
  if (answers.ownNode) {
    const found = machineNode(context.variables.npm_config_user_agent)
    note(
      `A project needs Node ${oldestNode} or newer, and this machine has Node ${found}. So the project gets Node ${bundledNode.version} as a dev dependency (${bundledNode.megabytes} MB), which npm run and npx use.`,
    )
  }
  const signal = context.shutdownSignal()
  const files = await makeProjectFiles(template, answers, clone)
  if (signal.aborted)
    throw new UserError('scaffold_cancelled', 'The command was stopped by a signal. Nothing was written.')
  await writeProject(answers.dir, files)
  note(`Made ${answers.dir} from the template ${template.name}: ${files.length} files.`)
  const facts = { template: template.name, files: files.map(({ path }) => path) }
  await setUp({ template, project: answers, facts, closing: [closingNote], signal }, options, context)
}

async function refresh(dir: string, clone: Clone, options: ScaffoldOptions, context: ScaffoldContext): Promise<void> {
  const signal = context.shutdownSignal()
  const changed = await refreshPackages(dir, clone)
  const done = changed
    ? `${dir} now has the packages of this clone. Only package.json and headrace-packages were changed.`
    : `${dir} already has the packages of this clone.`
  if (!options.json) context.note(done)
  const project = { dir, name: basename(dir), packageManager: 'npm' } as const
  await setUp({ template: refreshSteps, project, facts: { changed }, closing: [], signal }, options, context)
}

const refreshSteps = {
  steps: [
    { name: 'install', run: ['{npm}', 'install'] },
    { name: 'codegen', run: ['{npm}', 'run', 'codegen'] },
  ],
  next: ['cd {dir}', '{npm} test', '{npm} run dev'],
}
