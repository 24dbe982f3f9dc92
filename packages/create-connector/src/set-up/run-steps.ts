import { relative } from 'node:path'
import { type HeadraceError, RetryableError, UserError } from '@headrace/queue'
import { execa } from 'execa'
import type { Answers } from '../project/answers.ts'
import { published } from '../published.ts'
import type { ScaffoldContext, ScaffoldOptions } from '../scaffold-context.ts'
import type { Template, TemplateStep } from '../template/template.ts'

type StepPlace = Pick<Answers, 'dir' | 'packageManager'>

export interface SetUpRequest {
  readonly template: Pick<Template, 'steps' | 'next'>
  readonly project: Pick<Answers, 'dir' | 'name' | 'packageManager'>
  /** Further members of the summary in JSON. */
  readonly facts: object
  /** Lines after the next commands. */
  readonly closing: readonly string[]
  readonly signal: AbortSignal
}

/** Runs the steps if `install` is set, and writes the next commands. Throws the failure of a step after that. */
export async function setUp(
  { template, project, facts, closing, signal }: SetUpRequest,
  { install, json }: ScaffoldOptions,
  context: ScaffoldContext,
): Promise<void> {
  const steps = install ? template.steps : []
  const progress: StepProgress = json ? { note: () => {} } : { note: context.note, terminal: context.terminal?.output }
  const start = performance.now()
  const { results, failure } = await runSteps(steps, project, { ...progress, signal })
  if (failure) progress.note(results.at(-1)!.output ?? '')
  else if (install) progress.note(`Set up in ${inSeconds(performance.now() - start)}.`)
  const remaining = template.steps.slice(results.filter(({ ok }) => ok).length)
  const next = nextLines(template, project, remaining)
  const { dir, name } = project
  const heading = remaining.length > 0 ? 'It is not set up yet. Next:' : 'Next:'
  await context.write(
    json
      ? `${JSON.stringify({ dir, name, ...facts, steps: results, next })}\n`
      : [heading, ...next.map((line) => `  ${line}`), ...closing, ''].join('\n'),
  )
  if (failure) throw failure
}

interface StepProgress {
  note(line: string): void
  /** `undefined`: a line is written every 15 seconds instead of one that is updated. */
  readonly terminal?: NodeJS.WritableStream | undefined
}

async function runSteps(
  steps: readonly TemplateStep[],
  place: StepPlace,
  { signal, ...progress }: StepProgress & { readonly signal: AbortSignal },
) {
  const width = Math.max(...steps.map(({ name }) => name.length))
  const results: { name: string; ms: number; ok: boolean; output?: string }[] = []
  for (const step of steps) {
    const shown = `  ${step.name.padEnd(width)}  `
    if (step.about !== undefined) progress.note(`${shown}${step.about}`)
    const endProgress = showProgress(shown, progress)
    const [program, ...args] = stepCommand(step, place)
    const ended = await execa(program, args, {
      cwd: place.dir,
      env: stepVariables,
      stdin: 'ignore',
      all: true,
      reject: false,
      cancelSignal: signal,
      // Otherwise a signal would end this process before it prints the remaining commands.
      cleanup: false,
    })
    endProgress()
    const failure = stepFailure(step, place, ended)
    const ms = Math.round(ended.durationMs)
    results.push({ name: step.name, ms, ok: !failure, ...(failure && { output: ended.all }) })
    progress.note(`${shown}${failure ? 'failed after ' : ''}${inSeconds(ms)}`)
    if (failure) return { results, failure }
  }
  return { results, failure: undefined }
}

const stepVariables = {
  // These requests of npm take seconds, and their output is not shown.
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  // If CI is set, Yarn refuses to write the lock file of a new project.
  YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
}

function stepCommand({ run }: TemplateStep, { packageManager }: StepPlace): readonly [string, ...string[]] {
  const [program = '', ...args] = run.map((word) => word.replaceAll('{npm}', packageManager))
  return [program, ...args]
}

function stepLine(step: TemplateStep, place: StepPlace): string {
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

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

export function showProgress(step: string, { note, terminal }: StepProgress): () => void {
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

/** Members of a result of execa. */
export interface EndedStep {
  /** Both outputs. */
  readonly all: string
  /** `undefined`: the program was killed, or could not be started. */
  readonly exitCode?: number | undefined
  /** Of the system, if the program could not be started. */
  readonly code?: string | undefined
  readonly isCanceled: boolean
}

export function stepFailure(step: TemplateStep, place: StepPlace, ended: EndedStep): HeadraceError | undefined {
  const line = stepLine(step, place)
  if (ended.exitCode === 0) return undefined
  if (ended.isCanceled) return new UserError('scaffold_cancelled', `"${line}" was cancelled. The project is kept.`)
  const missing = missingProgram(step, place, ended)
  if (missing !== undefined)
    return new UserError(
      'program_missing',
      `"${line}" needs ${missing}, which was not found on this machine. Install it. The project is kept.`,
    )
  const absent = step.name === 'install' ? absentPackage(ended.all) : undefined
  if (absent !== undefined)
    return new UserError(
      'packages_not_found',
      `"${line}" failed: the package registry does not have ${absent}. ${published ? registryRemedy : cloneRemedy}`,
    )
  if (step.name.startsWith('install') && networkTrouble.test(ended.all))
    return new RetryableError(
      'registry_unavailable',
      `"${line}" could not reach the package registry. The project is kept; its code is complete.`,
    )
  const how = ended.exitCode === undefined ? 'was killed' : `ended with exit code ${ended.exitCode}`
  return new UserError('step_failed', `"${line}" ${how}. The project is kept.`)
}

/** A shell that runs a script of package.json ends with 127 if it does not find a program. */
function missingProgram(step: TemplateStep, place: StepPlace, { code, exitCode, all }: EndedStep) {
  if (code === 'ENOENT') return stepCommand(step, place)[0]
  return exitCode === 127 ? /^.*sh: (?:line )?(?:\d+: )?(\S+): (?:command )?not found/m.exec(all)?.[1] : undefined
}

function absentPackage(output: string): string | undefined {
  if (!/404|not found|No matching version/i.test(output)) return undefined
  return /@headrace(?:\/|%2f)[a-z-]+/i.exec(output)?.[0].replace(/%2f/i, '/')
}

const registryRemedy = 'Check the registry of the package manager ("npm config get registry"), and install again.'
const cloneRemedy =
  'The packages are not published yet. Delete the new folder, and run "npm run create -- DIR" in a clone of https://github.com/headrace/headrace, which makes the project with the packages of the clone.'

/** Network errors of npm, pnpm, yarn, bun, pip and go. */
const networkTrouble =
  /ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ConnectionRefused|FailedToOpenSocket|connection refused|no such host|dns error|network is unreachable|i\/o timeout|name resolution|Failed to establish a new connection/i
