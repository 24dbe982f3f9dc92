import { relative } from 'node:path'
import type { Answers } from '../project/answers.ts'
import type { Template, TemplateStep } from '../template/template.ts'

/** Where steps are run, and with which package manager. */
export type StepPlace = Pick<Answers, 'dir' | 'packageManager'>

/** A step as it is started. */
export function stepCommand({ run }: TemplateStep, { packageManager }: StepPlace): readonly [string, ...string[]] {
  const [program = '', ...args] = run.map((word) => word.replaceAll('{npm}', packageManager))
  return [program, ...args]
}

/** A step as it is typed into a shell. */
export function stepLine(step: TemplateStep, place: StepPlace): string {
  return stepCommand(step, place).map(quote).join(' ')
}

/**
 * What whoever has made a project runs next, from the folder where that was done.
 *
 * @param left - Steps that are yet to be run. They come as soon as the shell is in the project's folder.
 */
export function nextLines(
  { next }: Pick<Template, 'next'>,
  answers: StepPlace,
  left: readonly TemplateStep[],
): string[] {
  const dir = pathOf(answers)
  const commands = next.filter((line) => !line.includes('{dir}'))
  return [
    ...(dir === '' ? [] : next.filter((line) => line.includes('{dir}'))),
    ...left.map((step) => stepLine(step, answers)),
    ...commands,
  ].map((line) => line.replaceAll('{dir}', quote(dir)).replaceAll('{npm}', answers.packageManager))
}

/** The folder as one would type it. */
function pathOf({ dir }: StepPlace): string {
  const path = relative('.', dir)
  return path.length < dir.length ? path : dir
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
