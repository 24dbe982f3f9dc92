import { basename } from 'node:path'
import type { Clone } from './local-packages/local-package.ts'
import { refreshPackages } from './local-packages/refresh-project.ts'
import type { ScaffoldOptions } from './options/scaffold-options.ts'
import type { ScaffoldContext } from './scaffold-context.ts'
import { nextLines } from './set-up/command-line.ts'
import { runSteps, type SetUp } from './set-up/run-steps.ts'
import type { TemplateStep } from './template/template.ts'

/** Gives a project the packages of a clone, installs them and generates its code with them. */
export async function refresh(
  dir: string,
  clone: Clone,
  { install, json }: ScaffoldOptions,
  context: ScaffoldContext,
): Promise<void> {
  const note = json ? () => {} : context.note
  const signal = context.shutdownSignal()
  const changed = await refreshPackages(dir, clone)
  note(
    changed
      ? `${dir} has the packages of this clone now. Of its files only package.json and headrace-packages changed.`
      : `${dir} has the packages of this clone already.`,
  )
  const where = { dir, packageManager: 'npm' } as const
  const { results, failure }: SetUp = install
    ? await runSteps({ steps }, where, { note, signal, terminal: json ? undefined : context.terminal?.output })
    : { results: [] }
  if (failure) note(results.at(-1)!.output ?? '')
  const left = steps.slice(results.filter(({ ok }) => ok).length)
  const next = nextLines({ next: commands }, where, left)
  const summary = { dir, name: basename(dir), changed, steps: results, next }
  await context.write(
    json ? `${JSON.stringify(summary)}\n` : ['Next:', ...next.map((line) => `  ${line}`), ''].join('\n'),
  )
  if (failure) throw failure
}

const steps: readonly TemplateStep[] = [
  { name: 'install', run: ['{npm}', 'install'] },
  { name: 'codegen', run: ['{npm}', 'run', 'codegen'] },
]

const commands = ['cd {dir}', '{npm} test', '{npm} run dev']
