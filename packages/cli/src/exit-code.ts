import { HeadraceError, RetryableError } from '@headrace/queue'
import { CommanderError } from 'commander'
import { createConnectorExitCodes } from 'create-connector'
import { OutputClosedError } from './output/output.ts'

/** 69, 70 and 75 are those of sysexits.h. */
export const exitCodes = {
  done: 0,
  mistake: 1,
  usage: 2,
  unavailable: 69,
  bug: 70,
  refusedForNow: 75,
  fenced: 76,
  revertedFinal: 77,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

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
  invalid_destination: exitCodes.usage,
  invalid_key_options: exitCodes.usage,
  invalid_fields: exitCodes.usage,
  invalid_filter: exitCodes.usage,
  invalid_position: exitCodes.usage,
  invalid_schema_registry_url: exitCodes.usage,
  commit_unknown: exitCodes.unavailable,
  source_failed: exitCodes.bug,
  child_ended: exitCodes.bug,
  child_not_ready: exitCodes.bug,
  child_stalled: exitCodes.bug,
  fenced: exitCodes.fenced,
  sink_taken_over: exitCodes.fenced,
  reorganisation_below_final: exitCodes.revertedFinal,
}
