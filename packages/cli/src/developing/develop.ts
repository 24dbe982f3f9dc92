import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Project } from '@headrace/catalog'
import { HeadraceError, UserError } from '@headrace/queue'
import type { CommandContext } from '../command-context.ts'
import { exitCodes } from '../exit-code.ts'
import type { Logging } from '../logging/logger.ts'
import { loadConnectorProject } from '../project/load-connector.ts'
import { messageOf } from '../remedy-text.ts'
import type { DevGateway } from './dev-gateway.ts'
import type { DevOptions, RunOutcome } from './process-messages.ts'
import { checkReset, resetDevelopment } from './reset-development.ts'
import { type RunProcess, startRunProcess } from './run-process.ts'
import { listenForKeys } from './terminal-keys.ts'
import { type ProjectWatch, watchProject } from './watch-project.ts'

/**
 * Restarts a connector when its files change, until a signal comes. An error of the connector is logged; one that no
 * change of a file can fix is thrown.
 */
export async function develop(folder: string, options: DevOptions, context: CommandContext): Promise<void> {
  const dir = resolve(folder)
  if (!existsSync(join(dir, 'manifest.yaml'))) await loadConnectorProject(dir, context)
  const signal = context.shutdownSignal()
  const logging = context.startLogging({ plain: true })
  const { log } = logging
  const { promise: failure, reject: fail } = Promise.withResolvers<never>()
  failure.catch(() => {})
  if (options.fromStart) {
    await checkReset(dir, options, context)
    await resetDevelopment(options)
  }
  const { startDevGateway } = options.serve ? await import('./dev-gateway.ts') : {}
  const gateway = await startDevGateway?.(dir, options, context)
  let run: RunProcess | undefined
  const stopListening = onSecondSignal(signal, async () => run?.end())
  const files = await watchProject({ dir, written: writtenBy(options), onError: fail })
  let asked = Promise.withResolvers<'reset'>()
  const hasKeys = await listenForKeys({
    ...{ input: process.stdin, signal },
    onKey: (key) => key === 'r' && asked.resolve('reset'),
    onEnter: () => context.note(''),
  })
  const session: DevSession = {
    ...{ dir, options, context, logging, signal, files, gateway, hasKeys, fail },
    code: undefined,
  }
  const keys = hasKeys && writtenBy(options).length > 0 ? ', r publishes from the beginning' : ''
  log.info({ dir }, `Ctrl-C ends it${keys}, and a change of a file restarts it`)
  try {
    let changed: ReturnType<ProjectWatch['next']> | undefined
    for (;;) {
      run ??= await startNext(session)
      changed ??= files.next(signal)
      const event = await Promise.race([changed, asked.promise, failure])
      if (!event) break
      if (event === 'reset') {
        await reset(session, async () => run?.stop())
        asked = Promise.withResolvers()
      } else {
        log.info({ files: namesOf(event) }, 'changed')
        if (event.some((file) => file === 'manifest.yaml' || file.endsWith('.proto'))) session.code = undefined
        changed = undefined
        await run?.stop()
      }
      if (run?.isStopping) run = undefined
    }
    log.info('stopping')
  } finally {
    await run?.stop()
    await gateway?.close()
    await files.close()
    stopListening()
  }
}

async function reset(session: DevSession, stop: () => Promise<void>): Promise<void> {
  const { dir, options, context, gateway } = session
  const { log } = session.logging
  try {
    await checkReset(dir, options, context)
    await stop()
    const work = () => resetDevelopment(options)
    await (gateway ? gateway.whileClosed(work) : work())
    log.info('the queue is empty: publishing from the beginning')
  } catch (error) {
    if (!(error instanceof HeadraceError)) throw error
    log.error({ code: error.code }, messageOf(error))
  }
}

async function startNext(session: DevSession): Promise<RunProcess | undefined> {
  if (!session.code?.every(existsSync)) await prepare(session)
  if (!session.code || session.signal.aborted || session.files.arePending()) return undefined
  await session.gateway?.refresh()
  return startRun(session)
}

async function prepare(session: DevSession): Promise<void> {
  const { dir, options, context, files } = session
  const { log } = session.logging
  session.code = undefined
  try {
    await files.add(options.config === undefined ? [] : [options.config])
    const project = await loadConnectorProject(dir, context)
    const { run = 'src/connector.ts', proto } = project.manifest
    const { code, changed } = await generate(project, run)
    if (changed.length > 0) log.info({ files: namesOf(changed) }, 'generated')
    await files.add([...proto, ...(typeof run === 'string' ? [resolve(dir, run)] : [])])
    session.code = code
  } catch (error) {
    if (error instanceof HeadraceError) log.error({ code: error.code }, messageOf(error))
    else log.error({ err: error }, 'the project cannot be read')
    log.info(waiting)
  }
}

async function generate(project: Project, run: Project['manifest']['run']) {
  const folder = join(project.dir, 'src/generated')
  // A module in JavaScript may declare its schema itself.
  const isNeeded = typeof run === 'string' && (/\.[mc]?ts$/.test(run) || existsSync(folder))
  if (!isNeeded) return { code: [], changed: [] }
  const { applyChanges, compareFolder, generateCode } = await import('@headrace/codegen')
  const files = await generateCode(project)
  const changes = await compareFolder(folder, files)
  await applyChanges(folder, changes)
  return {
    code: files.map(({ path }) => join(folder, path)),
    changed: changes.map(({ path }) => `src/generated/${path}`),
  }
}

function namesOf(files: readonly string[]): string {
  const more = files.length - namedFiles
  return files.slice(0, namedFiles).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

const namedFiles = 3

/**
 * Runs `end` before a second signal ends this process; the first one aborts `signal`. Returns a function that removes
 * the listeners.
 */
function onSecondSignal(signal: AbortSignal, end: () => Promise<void>): () => void {
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const onSignal = async (name: NodeJS.Signals): Promise<void> => {
    forget()
    await end()
    process.kill(process.pid, name)
  }
  const listen = (): void => {
    for (const name of names) process.on(name, onSignal)
  }
  const forget = (): void => {
    signal.removeEventListener('abort', listen)
    for (const name of names) process.off(name, onSignal)
  }
  if (signal.aborted) listen()
  else signal.addEventListener('abort', listen, { once: true })
  return forget
}

interface DevSession {
  readonly dir: string
  readonly options: DevOptions
  readonly context: CommandContext
  readonly logging: Logging
  readonly signal: AbortSignal
  readonly files: ProjectWatch
  readonly gateway: DevGateway | undefined
  readonly hasKeys: boolean
  /** Paths of the generated code. `undefined`: the project must be prepared. */
  code: readonly string[] | undefined
  /** Ends the command with an error that no change of a file can fix. */
  fail(error: Error): void
}

/** Characters per line without a terminal. */
const plainWidth = 160

function startRun(session: DevSession): RunProcess {
  const { dir, options, context, logging, gateway, fail } = session
  const width = process.stdout.columns ?? plainWidth
  const run = startRunProcess({
    start: { dir, options, width },
    logging,
    note: logging.isForPeople ? context.note : undefined,
    onMessage(message) {
      if (message.type === 'records') void context.output.write(message.lines).catch(fail)
      else if (message.type === 'published') gateway?.published(message.topics)
      else {
        const { checkpoint } = message
        logging.log.info({ checkpoint }, `nothing new after the published records. ${howToBeginAgain(session)}`)
      }
    },
  })
  run.ended.then((outcome) => reportOutcome(outcome, run.isStopping, session), fail)
  return run
}

function reportOutcome(outcome: RunOutcome, isStopping: boolean, session: DevSession): void {
  const { fail } = session
  const { log } = session.logging
  if (outcome.kind === 'failed') {
    const { code, message, exitCode } = outcome
    if (exitCode === exitCodes.usage) fail(new UserError(code, message))
    else log.error({ code }, message)
    if (code === 'incompatible_schema') for (const text of howToDiscard(session)) log.info(text)
  }
  if (!isStopping) log.info(outcome.kind === 'ended' ? `the source has ended: ${waiting}` : waiting)
}

function howToBeginAgain({ hasKeys, options }: DevSession): string {
  if (!options.queue.startsWith('embedded:'))
    return 'To publish from the beginning: end this, then "connector checkpoint reset --start"'
  return hasKeys ? 'Press r to publish from the beginning' : 'Start with --from-start to publish from the beginning'
}

function howToDiscard({ hasKeys, options }: DevSession): string[] {
  if (hasKeys) return ['to discard the records published during development: press r']
  return writtenBy(options).map(
    (folder) => `to discard the records published during development: remove ${folder}, then save a file`,
  )
}

const waiting = 'waiting for a change'

function writtenBy({ queue }: DevOptions): string[] {
  return queue.startsWith('embedded:') ? [queue.slice('embedded:'.length)] : []
}
