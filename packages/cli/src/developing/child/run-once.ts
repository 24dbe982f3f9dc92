import { resolveTopics, topicRegistrations } from '@headrace/catalog'
import { HeadraceError, UserError, unlessAborted } from '@headrace/queue'
import type { Connector, RunObserver, Schema } from '@headrace/sdk'
import type { Logger } from 'pino'
import { noteEnvFile, withEnvFile } from '../../env-file/with-env-file.ts'
import { readEnvironment } from '../../environment.ts'
import { openQueueOf } from '../../options/queue-options.ts'
import { runtimeOptions } from '../../options/run-options.ts'
import { resolveSettingsOf } from '../../options/settings-options.ts'
import { announceRun } from '../../presence/announce-run.ts'
import { loadConnector, loadConnectorProject } from '../../project/load-connector.ts'
import type { FromRun, RunOutcome, StartMessage } from '../process-messages.ts'
import { createRecordLines } from './record-lines.ts'

export interface RunOnceOptions {
  readonly log: Logger
  readonly signal: AbortSignal
  report(message: FromRun): void
}

export async function runOnce(
  { dir, options, width }: StartMessage,
  { log, signal, report }: RunOnceOptions,
): Promise<RunOutcome> {
  const context = await withEnvFile(dir, {
    environment: readEnvironment(process.env),
    inform: (text: string) => log.info(text),
    warn: (text: string) => log.warn(text),
  })
  noteEnvFile(context)
  // The parent process has reported the warnings.
  const project = await loadConnectorProject(dir, { warn: () => {} })
  const settings = await resolveSettingsOf(project, options, context)
  const loaded = await unlessAborted(loadConnector(project, false), signal)
  await using queue = loaded && (await unlessAborted(openQueueOf(options, context, { log }), signal))
  if (!queue) return { kind: 'stopped' }
  const { instance, topics } = resolveTopics(project, settings, options.instance)
  const registrations = topicRegistrations(project, instance, topics)
  const print = (lines: string) => report({ type: 'records', lines })
  const lines = await createRecordLines({ queue, registrations, json: options.json ?? false, width, log, print })
  const effect = createRunEffect(report)
  try {
    const { runConnector } = await import('@headrace/sdk')
    const connector = typeof project.manifest.run === 'object' ? endAtOnce(loaded) : loaded
    const request = { connector, project, settings, instance, queue, signal, log, ...runtimeOptions(options) }
    const observer: RunObserver = {
      onStart(run) {
        lines.onStart()
        effect.onStart(run)
      },
      onCommit(commit) {
        lines.onCommit(commit)
        effect.onCommit()
      },
    }
    const { reason } = await announceRun({ queue, log, observer }, (announced) =>
      runConnector({ ...request, observer: announced }),
    )
    if (reason === 'ended') effect.ended()
    return { kind: reason }
  } finally {
    effect.close()
    await lines.end()
  }
}

export interface RunEffect {
  onStart(run: { readonly topics: readonly string[]; readonly checkpoint: unknown }): void
  onCommit(): void
  ended(): void
  close(): void
}

/** A source without a commit for this many ms after a restart is probably waiting for new data. */
const quietMs = 2000

/** Reports the topics of a run when they have records, and once if it continues a checkpoint and has nothing new. */
export function createRunEffect(report: (message: FromRun) => void): RunEffect {
  let topics: readonly string[] = []
  let checkpoint: unknown = null
  let isSettled = false
  let timer: NodeJS.Timeout | undefined

  function nothingNew(): void {
    clearTimeout(timer)
    if (checkpoint === null || isSettled) return
    isSettled = true
    report({ type: 'nothing_new', checkpoint })
  }

  return {
    onStart(run) {
      ;({ topics, checkpoint } = run)
      if (checkpoint === null) return
      report({ type: 'published', topics })
      timer = setTimeout(nothingNew, quietMs)
    },
    onCommit() {
      if (isSettled) return
      isSettled = true
      clearTimeout(timer)
      report({ type: 'published', topics })
    },
    ended: nothingNew,
    close: () => clearTimeout(timer),
  }
}

/** Does not retry if a child process ends before its first unit: during development its code is probably broken. */
function endAtOnce(connector: Connector<Schema, unknown>): Connector<Schema, unknown> {
  let hasYielded = false
  return {
    ...connector,
    async *read(source) {
      try {
        for await (const unit of connector.read(source)) {
          hasYielded = true
          yield unit
        }
      } catch (error) {
        const isChild = error instanceof HeadraceError && error.code === 'child_ended'
        throw isChild && !hasYielded ? new UserError(error.code, error.message, { cause: error }) : error
      }
    },
  }
}
