import type { HeadraceError } from '@headrace/queue'
import { execa } from 'execa'
import type { Template, TemplateStep } from '../template/template.ts'
import { type StepPlace, stepCommand } from './command-line.ts'
import { type EndedStep, stepFailure } from './step-failure.ts'
import { showProgress } from './step-progress.ts'

export interface StepResult {
  readonly name: string
  readonly ms: number
  readonly ok: boolean
  /** What a step that failed has printed. */
  readonly output?: string
}

export interface SetUp {
  /** Of the steps that were begun. */
  readonly results: readonly StepResult[]
  /** Why the last of them failed. */
  readonly failure?: HeadraceError
}

export interface SetUpOptions {
  /** Reports a step that runs for long, and each that has ended. */
  note(line: string): void
  /** Where the step that is being run is shown, until it has ended. */
  readonly terminal?: NodeJS.WritableStream | undefined
  /** Breaks off the step that is being run. */
  readonly signal: AbortSignal
}

/** Sets a project up: runs the steps of its template one after the other, in its folder, up to the first that fails. */
export async function runSteps(
  { steps }: Pick<Template, 'steps'>,
  place: StepPlace,
  { note, terminal, signal }: SetUpOptions,
): Promise<SetUp> {
  const width = Math.max(...steps.map(({ name }) => name.length))
  const results: StepResult[] = []
  for (const step of steps) {
    const shown = `  ${step.name.padEnd(width)}  `
    if (step.about !== undefined) note(`${shown}${step.about}`)
    const endProgress = showProgress(shown, { note, terminal })
    const ended = await runStep(step, place, signal)
    endProgress()
    const failure = stepFailure(step, place, ended)
    const { ms, output } = ended
    results.push({ name: step.name, ms, ok: !failure, ...(failure && { output }) })
    note(`${shown}${failure ? 'failed after ' : ''}${inSeconds(ms)}`)
    if (failure) return { results, failure }
  }
  return { results }
}

export function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

async function runStep(step: TemplateStep, place: StepPlace, cancelSignal: AbortSignal): Promise<EndedStep> {
  const [program, ...args] = stepCommand(step, place)
  const begun = performance.now()
  const { all, exitCode, code, isCanceled } = await execa(program, args, {
    cwd: place.dir,
    env: stepVariables,
    stdin: 'ignore',
    all: true,
    reject: false,
    cancelSignal,
    // Otherwise a signal would end this process too, before it has said what is left to run.
    cleanup: false,
  })
  const ms = Math.round(performance.now() - begun)
  return { ms, output: all, exitCode, isMissing: code === 'ENOENT', isCancelled: isCanceled }
}

const stepVariables = {
  // What npm asks the registry for beside the packages takes seconds, and nobody would see the answer.
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  // Where CI is set, yarn would refuse to fill the lock file of a new project.
  YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
}
