import { type HeadraceError, RetryableError, UserError } from '@headrace/queue'
import { published } from '../published.ts'
import type { TemplateStep } from '../template/template.ts'
import { type StepPlace, stepCommand, stepLine } from './command-line.ts'

/** How a step has ended. */
export interface EndedStep {
  readonly ms: number
  readonly output: string
  /** Left out where the program did not end by itself, or could not be started. */
  readonly exitCode?: number | undefined
  /** There is no such program. */
  readonly isMissing: boolean
  /** It was ended because this program was asked to end. */
  readonly isCancelled: boolean
}

/** Says what is wrong with a step that has ended, if anything is. The project stays in any case. */
export function stepFailure(step: TemplateStep, place: StepPlace, ended: EndedStep): HeadraceError | undefined {
  const line = stepLine(step, place)
  if (ended.exitCode === 0) return undefined
  if (ended.isCancelled)
    return new UserError('scaffold_cancelled', `"${line}" was broken off. The project stays as it is.`)
  const missing = missingProgram(step, place, ended)
  if (missing !== undefined)
    return new UserError(
      'program_missing',
      `"${line}" needs ${missing}, which is not on this machine. Install it. The project stays as it is.`,
    )
  const absent = step.name === 'install' ? absentPackage(ended.output) : undefined
  if (absent !== undefined)
    return new UserError(
      'packages_not_found',
      `"${line}" asked the package registry for ${absent}, which it does not have. ${published ? registryRemedy : cloneRemedy}`,
    )
  if (step.name.startsWith('install') && networkTrouble.test(ended.output))
    return new RetryableError(
      'registry_unavailable',
      `"${line}" could not reach the package registry. The project stays as it is; its code is complete.`,
    )
  const how = ended.exitCode === undefined ? 'did not end by itself' : `ended with exit code ${ended.exitCode}`
  return new UserError('step_failed', `"${line}" ${how}. The project stays as it is.`)
}

/** A shell in between, as in the scripts of a package.json, says by exit code 127 that it has not found a program. */
function missingProgram(step: TemplateStep, place: StepPlace, { isMissing, exitCode, output }: EndedStep) {
  if (isMissing) return stepCommand(step, place)[0]
  return exitCode === 127 ? /^.*sh: (?:line )?(?:\d+: )?(\S+): (?:command )?not found/m.exec(output)?.[1] : undefined
}

/** One of the project's own packages, where npm, pnpm, yarn or bun says that the registry does not have it. */
function absentPackage(output: string): string | undefined {
  if (!/404|not found|No matching version/i.test(output)) return undefined
  return /@headrace(?:\/|%2f)[a-z-]+/i.exec(output)?.[0].replace(/%2f/i, '/')
}

const registryRemedy =
  'Look at the registry that the package manager is set to use ("npm config get registry"), and install again.'
const cloneRemedy =
  'The packages are not published yet. Delete the folder that was made, and in a clone of https://github.com/headrace/headrace run "npm run create -- DIR", which makes the project with the packages of the clone.'

/** As npm, pnpm, yarn, bun, pip and go say that nobody answers at an address. */
const networkTrouble =
  /ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ConnectionRefused|FailedToOpenSocket|connection refused|no such host|dns error|network is unreachable|i\/o timeout|name resolution|Failed to establish a new connection/i
