import { type HeadraceError, RetryableError, UserError } from '@headrace/queue'
import { published } from '../published.ts'
import type { TemplateStep } from '../template/template.ts'
import { type StepPlace, stepCommand, stepLine } from './command-line.ts'

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

/** A package of Headrace that npm, pnpm, yarn or bun did not find in the registry. */
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
