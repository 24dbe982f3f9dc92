import { type HeadraceError, RetryableError, UserError } from '@headrace/queue'
import { execa } from 'execa'
import { published } from '../published.ts'
import type { Template, TemplateStep } from '../template/template.ts'
import { type StepPlace, stepCommand, stepLine } from './command-line.ts'

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
  /** `undefined`: a line is written every 15 seconds instead of one that is updated. */
  readonly terminal?: NodeJS.WritableStream | undefined
  readonly signal: AbortSignal
}

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
    // Otherwise a signal would end this process before it prints the remaining commands.
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

export function showProgress(step: string, { note, terminal }: Omit<SetUpOptions, 'signal'>): () => void {
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

export interface EndedStep {
  readonly ms: number
  readonly output: string
  /** `undefined`: the program was killed, or could not be started. */
  readonly exitCode?: number | undefined
  readonly isMissing: boolean
  readonly isCancelled: boolean
}

export function stepFailure(step: TemplateStep, place: StepPlace, ended: EndedStep): HeadraceError | undefined {
  const line = stepLine(step, place)
  if (ended.exitCode === 0) return undefined
  if (ended.isCancelled) return new UserError('scaffold_cancelled', `"${line}" was cancelled. The project is kept.`)
  const missing = missingProgram(step, place, ended)
  if (missing !== undefined)
    return new UserError(
      'program_missing',
      `"${line}" needs ${missing}, which was not found on this machine. Install it. The project is kept.`,
    )
  const absent = step.name === 'install' ? absentPackage(ended.output) : undefined
  if (absent !== undefined)
    return new UserError(
      'packages_not_found',
      `"${line}" failed: the package registry does not have ${absent}. ${published ? registryRemedy : cloneRemedy}`,
    )
  if (step.name.startsWith('install') && networkTrouble.test(ended.output))
    return new RetryableError(
      'registry_unavailable',
      `"${line}" could not reach the package registry. The project is kept; its code is complete.`,
    )
  const how = ended.exitCode === undefined ? 'was killed' : `ended with exit code ${ended.exitCode}`
  return new UserError('step_failed', `"${line}" ${how}. The project is kept.`)
}

/** A shell that runs a script of package.json ends with 127 if it does not find a program. */
function missingProgram(step: TemplateStep, place: StepPlace, { isMissing, exitCode, output }: EndedStep) {
  if (isMissing) return stepCommand(step, place)[0]
  return exitCode === 127 ? /^.*sh: (?:line )?(?:\d+: )?(\S+): (?:command )?not found/m.exec(output)?.[1] : undefined
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
