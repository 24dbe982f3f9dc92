import type { HeadraceError } from '@headrace/queue'
import { execa } from 'execa'
import type { Template, TemplateStep } from '../template/template.ts'
import { type StepPlace, stepCommand } from './command-line.ts'
import { type EndedStep, stepFailure } from './step-failure.ts'

export interface StepResult {
  readonly name: string
  readonly ms: number
  readonly ok: boolean
  readonly output?: string
}

export interface SetUp {
  readonly results: readonly StepResult[]
  readonly failure?: HeadraceError
}

export interface SetUpOptions {
  note(line: string): void
  readonly terminal?: NodeJS.WritableStream | undefined
  readonly signal: AbortSignal
}

/** Runs the steps in order, up to the first failure. */
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
  const start = performance.now()
  const { all, exitCode, code, isCanceled } = await execa(program, args, {
    cwd: place.dir,
    env: stepVariables,
    stdin: 'ignore',
    all: true,
    reject: false,
    cancelSignal,
    // Otherwise a signal would end this process too, before it prints the remaining commands.
    cleanup: false,
  })
  const ms = Math.round(performance.now() - start)
  return { ms, output: all, exitCode, isMissing: code === 'ENOENT', isCancelled: isCanceled }
}

const stepVariables = {
  // These requests of npm take seconds, and their output is not shown.
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  // If CI is set, Yarn refuses to write the lock file of a new project.
  YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
}

interface ProgressOutput {
  note(line: string): void
  /** `undefined`: a line is written every 15 seconds instead of one that is updated. */
  readonly terminal?: NodeJS.WritableStream | undefined
}

/** Shows the time that a step has taken, until the returned function is called. */
export function showProgress(step: string, { note, terminal }: ProgressOutput): () => void {
  const started = performance.now()
  const seconds = () => Math.round((performance.now() - started) / 1000)
  if (!terminal) {
    const timer = setInterval(() => note(`${step}still running after ${seconds()} s`), lineEveryMs)
    return () => clearInterval(timer)
  }
  terminal.write(`${step}…`)
  const timer = setInterval(() => terminal.write(`${clearLine}${step}… ${seconds()} s`), 1000)
  return () => {
    clearInterval(timer)
    terminal.write(clearLine)
  }
}

const lineEveryMs = 15_000

const clearLine = '\r\u001b[2K'
