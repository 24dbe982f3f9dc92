import { type HeadraceError, RetryableError, UserError } from '@headrace/queue'
import type { Answers } from '../project/answers.ts'
import type { TemplateStep } from '../template/template.ts'
import { stepCommand, stepLine } from './command-line.ts'

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
export function stepFailure(step: TemplateStep, answers: Answers, ended: EndedStep): HeadraceError | undefined {
  const line = stepLine(step, answers)
  if (ended.exitCode === 0) return undefined
  if (ended.isCancelled)
    return new UserError('scaffold_cancelled', `"${line}" was broken off. The project stays as it is.`)
  const missing = missingProgram(step, answers, ended)
  if (missing !== undefined)
    return new UserError(
      'program_missing',
      `"${line}" needs ${missing}, which is not on this machine. Install it. The project stays as it is.`,
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
function missingProgram(step: TemplateStep, answers: Answers, { isMissing, exitCode, output }: EndedStep) {
  if (isMissing) return stepCommand(step, answers)[0]
  return exitCode === 127 ? /^.*sh: (?:line )?(?:\d+: )?(\S+): (?:command )?not found/m.exec(output)?.[1] : undefined
}

/** As npm, pnpm, yarn, bun, pip and go say that nobody answers at an address. */
const networkTrouble =
  /ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ConnectionRefused|FailedToOpenSocket|connection refused|no such host|dns error|network is unreachable|i\/o timeout|name resolution|Failed to establish a new connection/i
