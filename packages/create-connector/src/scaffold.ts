import { UserError } from '@headrace/queue'
import type { ScaffoldOptions } from './options/scaffold-options.ts'
import { settleAnswers } from './options/settle-answers.ts'
import { makeProjectFiles } from './project/project-files.ts'
import { writeProject } from './project/write-project.ts'
import type { ScaffoldContext } from './scaffold-context.ts'
import { nextLines } from './set-up/command-line.ts'
import { inSeconds, runSteps, type SetUp } from './set-up/run-steps.ts'

/** Said below the commands to run next. */
const afterwards =
  'The last one publishes and serves, and prints a line of curl with a key: paste that into a second terminal.'

/**
 * Makes a project and sets it up. All is checked before the first file is written; what fails afterwards leaves the project
 * as it is.
 */
export async function scaffold(
  folder: string | undefined,
  options: ScaffoldOptions,
  context: ScaffoldContext,
): Promise<void> {
  const { template, answers } = await settleAnswers(folder, options, context)
  const note = options.json ? () => {} : context.note
  const signal = context.shutdownSignal()
  const files = await makeProjectFiles(template, answers)
  if (signal.aborted) throw new UserError('scaffold_cancelled', 'A signal came. Nothing was written.')
  await writeProject(answers.dir, files)
  note(`Made ${answers.dir} from the template ${template.name}: ${files.length} files.`)

  const begun = performance.now()
  const { results, failure }: SetUp = options.install
    ? await runSteps(template, answers, { note, signal, terminal: options.json ? undefined : context.terminal?.output })
    : { results: [] }
  const left = template.steps.slice(results.filter(({ ok }) => ok).length)
  if (failure) note(results.at(-1)!.output ?? '')
  else if (options.install) note(`Set up in ${inSeconds(performance.now() - begun)}.`)

  const next = nextLines(template, answers, left)
  const { dir, name } = answers
  const summary = { dir, name, template: template.name, files: files.map(({ path }) => path), steps: results, next }
  const heading = left.length > 0 ? 'It is not set up yet. Next:' : 'Next:'
  await context.write(
    options.json
      ? `${JSON.stringify(summary)}\n`
      : [heading, ...next.map((line) => `  ${line}`), afterwards, ''].join('\n'),
  )
  if (failure) throw failure
}
