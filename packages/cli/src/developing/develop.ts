import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { HeadraceError, UserError } from '@headrace/queue'
import type { CommandContext } from '../command-context.ts'
import { exitCodes } from '../exit-code.ts'
import type { Logging } from '../logging/logger.ts'
import { loadConnectorProject } from '../project/load-connector-project.ts'
import { type AnswerStore, createAnswerStore } from './answers/answer-store.ts'
import type { DevOptions } from './dev-options.ts'
import { onSecondSignal } from './on-second-signal.ts'
import { isOfProject, type PreparedProject, prepareProject } from './prepare-project.ts'
import type { RunOutcome } from './process-messages.ts'
import { createRecalledNote } from './recalled-note.ts'
import { type RunProcess, startRunProcess } from './run-process.ts'
import { type ProjectWatch, watchProject } from './watch-project.ts'

/** What is kept of the answers to a connector. */
const answerLimits = { maxBytes: 64 << 20, maxAgeMs: 10 * 60_000, now: () => performance.now() }
/** Characters to a line where there is no terminal. */
const plainWidth = 160

interface Developing {
  readonly dir: string
  readonly options: DevOptions
  readonly context: CommandContext
  readonly logging: Logging
  readonly signal: AbortSignal
  readonly files: ProjectWatch
  readonly answers: AnswerStore | undefined
  /** The project as it was found right. `undefined`: it has to be looked at. */
  prepared: PreparedProject | undefined
  /** Ends the command: with what no change of a file can mend. */
  fail(error: Error): void
}

/**
 * Runs a connector, and again whenever its files have changed, until a signal comes. What is wrong with the connector
 * is told and waits for the next change.
 *
 * @throws {InvalidProjectError} there is no connector in the folder.
 * @throws {UserError} what no change of a file can mend.
 */
export async function develop(folder: string, options: DevOptions, context: CommandContext): Promise<void> {
  const dir = resolve(folder)
  if (!existsSync(join(dir, 'manifest.yaml'))) await loadConnectorProject(dir, context)
  const signal = context.shutdownSignal()
  const logging = context.startLogging({ plain: true })
  const { promise: failure, reject: fail } = Promise.withResolvers<never>()
  failure.catch(() => {})
  const files = await watchProject({ dir, written: writtenBy(options), onError: fail })
  const answers = options.cache ? createAnswerStore(answerLimits) : undefined
  const developing: Developing = { dir, options, context, logging, signal, files, answers, prepared: undefined, fail }
  let run: RunProcess | undefined
  const stopListening = onSecondSignal(signal, async () => run?.end())
  logging.log.info({ dir }, 'Ctrl-C ends it, and a change of a file starts it again')
  try {
    for (;;) {
      if (!developing.prepared?.code.every(existsSync)) await prepare(developing)
      run = developing.prepared && !signal.aborted && !files.arePending ? startRun(developing) : undefined
      const changed = await Promise.race([files.next(signal), failure])
      if (!changed) break
      logging.log.info({ files: namesOf(changed) }, 'changed')
      if (changed.some(isOfProject)) developing.prepared = undefined
      await run?.stop()
    }
    logging.log.info('stopping')
  } finally {
    await run?.stop()
    await files.close()
    stopListening()
  }
}

/** Prepares the project. What is wrong with it is told. */
async function prepare(developing: Developing): Promise<void> {
  const { dir, options, context, files } = developing
  const { log } = developing.logging
  developing.prepared = undefined
  try {
    await files.also(options.config === undefined ? [] : [options.config])
    const prepared = await prepareProject(dir, context)
    if (prepared.changed.length > 0) log.info({ files: namesOf(prepared.changed) }, 'generated')
    await files.also(prepared.named)
    developing.prepared = prepared
  } catch (error) {
    if (error instanceof HeadraceError) log.error({ code: error.code }, error.message)
    else log.error({ err: error }, 'the project cannot be read')
    log.info(waiting)
  }
}

function startRun(developing: Developing): RunProcess {
  const { dir, options, context, logging, answers, fail } = developing
  const recalled = createRecalledNote(logging.log)
  const width = process.stdout.columns ?? plainWidth
  const run = startRunProcess({
    start: { dir, options, width },
    answers,
    logging,
    note: logging.isForPeople ? context.note : undefined,
    print: (lines) => void context.output.write(lines).catch(fail),
    onRecalled: recalled.count,
  })
  run.ended.then((outcome) => {
    recalled.end()
    tellOutcome(outcome, run.isStopping, developing)
  }, fail)
  return run
}

/** Says why a run has come to its end. */
function tellOutcome(outcome: RunOutcome, isStopping: boolean, developing: Developing): void {
  const { options, fail } = developing
  const { log } = developing.logging
  if (outcome.kind === 'failed') {
    const { code, message, exitCode } = outcome
    if (exitCode === exitCodes.usage) fail(new UserError(code, message))
    else log.error({ code }, message)
    if (code === 'incompatible_schema')
      for (const folder of writtenBy(options))
        log.info(`to give up what was published while developing: remove ${folder}, then save a file`)
  }
  if (!isStopping) log.info(outcome.kind === 'ended' ? `the source has ended: ${waiting}` : waiting)
}

const waiting = 'waiting for a change'

/** What a run writes in the folder that is looked at. */
function writtenBy({ queue }: DevOptions): string[] {
  return queue.startsWith('embedded:') ? [queue.slice('embedded:'.length)] : []
}

function namesOf(files: readonly string[]): string {
  const more = files.length - namedFiles
  return files.slice(0, namedFiles).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

const namedFiles = 3
