import { HeadraceError, RetryableError } from '@headrace/queue'
import { CommanderError } from 'commander'
import { createConnectorExitCodes } from 'create-connector'
import { OutputClosedError } from './output/output.ts'

/** What the command's exit codes mean; the numbers from 64 on are those of sysexits.h where it has one. */
export const exitCodes = {
  done: 0,
  /** The user must fix something. */
  mistake: 1,
  usage: 2,
  /** The queue or the source could not be reached within the budget. */
  unavailable: 69,
  /** A bug, or an error of a connector's `read` that outlived its budget. */
  bug: 70,
  /** The service answers but refuses for now. */
  refusedForNow: 75,
  /** Another run writes now. */
  fenced: 76,
  /** The source took back what it had called final. */
  revertedFinal: 77,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** The exit code that says what an error means to whoever started the command. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof OutputClosedError) return exitCodes.done
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  if (!(error instanceof HeadraceError)) return exitCodes.bug
  if (error.code === 'source_failed' && error.cause instanceof RetryableError) return exitCodeOf(error.cause)
  const byCode = byErrorCode[error.code]
  if (byCode !== undefined) return byCode
  if (!(error instanceof RetryableError)) return exitCodes.mistake
  return error.code.endsWith('_unavailable') ? exitCodes.unavailable : exitCodes.refusedForNow
}

const byErrorCode: Readonly<Record<string, ExitCode>> = {
  ...createConnectorExitCodes,
  invalid_queue_url: exitCodes.usage,
  invalid_against: exitCodes.usage,
  invalid_cursor: exitCodes.usage,
  invalid_key_options: exitCodes.usage,
  invalid_position: exitCodes.usage,
  commit_unknown: exitCodes.unavailable,
  source_failed: exitCodes.bug,
  child_ended: exitCodes.bug,
  child_not_ready: exitCodes.bug,
  child_stalled: exitCodes.bug,
  fenced: exitCodes.fenced,
  reorganisation_below_final: exitCodes.revertedFinal,
}
