import { UserError } from '@headrace/queue'
import type { CommandContext } from '../command-context.ts'
import { exitCodes } from '../exit-code.ts'
import type { Logging } from '../logging/logger.ts'
import type { DevGateway } from './dev-gateway.ts'
import type { DevOptions } from './dev-options.ts'
import type { PreparedProject } from './prepare-project.ts'
import type { RunOutcome } from './process-messages.ts'
import { type RunProcess, startRunProcess } from './run-process.ts'
import type { ProjectWatch } from './watch-project.ts'

export interface Developing {
  readonly dir: string
  readonly options: DevOptions
  readonly context: CommandContext
  readonly logging: Logging
  readonly signal: AbortSignal
  readonly files: ProjectWatch
  readonly gateway: DevGateway | undefined
  readonly hasKeys: boolean
  /** `undefined`: the project must be prepared. */
  prepared: PreparedProject | undefined
  /** Ends the command with an error that no change of a file can fix. */
  fail(error: Error): void
}

/** Characters per line without a terminal. */
const plainWidth = 160

export function startRun(developing: Developing): RunProcess {
  const { dir, options, context, logging, gateway, fail } = developing
  const width = process.stdout.columns ?? plainWidth
  const run = startRunProcess({
    start: { dir, options, width },
    logging,
    note: logging.isForPeople ? context.note : undefined,
    print: (lines) => void context.output.write(lines).catch(fail),
    onPublished: (topics) => gateway?.published(topics),
    onNothingNew(checkpoint) {
      logging.log.info({ checkpoint }, `nothing new after the published records. ${howToBeginAgain(developing)}`)
    },
  })
  run.ended.then((outcome) => reportOutcome(outcome, run.isStopping, developing), fail)
  return run
}

function reportOutcome(outcome: RunOutcome, isStopping: boolean, developing: Developing): void {
  const { fail } = developing
  const { log } = developing.logging
  if (outcome.kind === 'failed') {
    const { code, message, exitCode } = outcome
    if (exitCode === exitCodes.usage) fail(new UserError(code, message))
    else log.error({ code }, message)
    if (code === 'incompatible_schema') for (const text of howToDiscard(developing)) log.info(text)
  }
  if (!isStopping) log.info(outcome.kind === 'ended' ? `the source has ended: ${waiting}` : waiting)
}

function howToBeginAgain({ hasKeys, options }: Developing): string {
  if (!options.queue.startsWith('embedded:'))
    return 'To publish from the beginning: end this, then "connector checkpoint reset --start"'
  return hasKeys ? 'Press r to publish from the beginning' : 'Start with --from-start to publish from the beginning'
}

function howToDiscard({ hasKeys, options }: Developing): string[] {
  if (hasKeys) return ['to discard the records published during development: press r']
  return writtenBy(options).map(
    (folder) => `to discard the records published during development: remove ${folder}, then save a file`,
  )
}

export const waiting = 'waiting for a change'

export function writtenBy({ queue }: DevOptions): string[] {
  return queue.startsWith('embedded:') ? [queue.slice('embedded:'.length)] : []
}
