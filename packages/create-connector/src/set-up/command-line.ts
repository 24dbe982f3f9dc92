import { relative } from 'node:path'
import type { Answers } from '../project/answers.ts'
import type { Template, TemplateStep } from '../template/template.ts'

export type StepPlace = Pick<Answers, 'dir' | 'packageManager'>

export function stepCommand({ run }: TemplateStep, { packageManager }: StepPlace): readonly [string, ...string[]] {
  const [program = '', ...args] = run.map((word) => word.replaceAll('{npm}', packageManager))
  return [program, ...args]
}

export function stepLine(step: TemplateStep, place: StepPlace): string {
  return stepCommand(step, place).map(quote).join(' ')
}

/** The commands to run next. Steps that were not run come after the `cd`. */
export function nextLines(
  { next }: Pick<Template, 'next'>,
  answers: StepPlace,
  remaining: readonly TemplateStep[],
): string[] {
  const path = relative('.', answers.dir)
  const dir = path.length < answers.dir.length ? path : answers.dir
  const commands = next.filter((line) => !line.includes('{dir}'))
  return [
    ...(dir === '' ? [] : next.filter((line) => line.includes('{dir}'))),
    ...remaining.map((step) => stepLine(step, answers)),
    ...commands,
  ].map((line) => line.replaceAll('{dir}', quote(dir)).replaceAll('{npm}', answers.packageManager))
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
