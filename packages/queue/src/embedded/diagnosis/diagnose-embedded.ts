import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { HeadraceError } from '../../errors.ts'
import type { Finding } from '../../finding.ts'
import { openEngine } from '../open-engine.ts'
import { toQueueError } from '../storage/sqlite-error.ts'
import { inspectFile } from './inspect-file.ts'
import { lostRecords } from './lost-records.ts'
import { rebuildQueue } from './repair-queue.ts'

export interface DiagnoseEmbeddedOptions {
  /** Folder of the queue. */
  readonly directory: string
  /** Whether to repair what is damaged. Default false. */
  readonly repair?: boolean
  readonly signal?: AbortSignal | undefined
}

/**
 * Looks at every page, row and batch of a queue: at all columns that a repair relies on, also those that no reader needs.
 *
 * A repair takes each batch that a checksum confirms into a new file. It reports every range of offsets that is lost as
 * `lost_records` before it puts the new file in the place of the damaged one, which is kept; where the caller ends the
 * iteration at one of these findings, nothing has changed. It is refused while another process has the queue open.
 *
 * Throws nothing but the signal's reason: what goes wrong is a finding too.
 */
export async function* diagnoseEmbedded(options: DiagnoseEmbeddedOptions): AsyncGenerator<Finding, void, undefined> {
  const { repair = false, signal } = options
  const directory = resolve(options.directory)
  const file = join(directory, 'queue.db')
  if (!existsSync(file)) yield noQueue(directory)
  else if (repair) yield* inspectAndRepair(directory, file, signal)
  else yield* inspect(directory, file, signal)
}

async function* inspectAndRepair(
  directory: string,
  file: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Finding, void, undefined> {
  const found: Finding[] = []
  for await (const finding of inspect(directory, file, signal)) found.push(finding)
  if (!found.some(({ code }) => repairable.has(code))) return yield* found
  const reported = new Set<string>()
  let kept: string
  try {
    using rebuilt = rebuildQueue(directory, file)
    for (const finding of rebuilt.lost.map(lostRecords)) {
      reported.add(nameOf(finding))
      yield finding
    }
    signal?.throwIfAborted()
    kept = rebuilt.putInPlace()
  } catch (error) {
    signal?.throwIfAborted()
    yield* found
    return yield failedRepair(asFinding(error, file))
  }
  const left = new Map<string, Finding>()
  for await (const finding of inspect(directory, file, signal)) left.set(nameOf(finding), finding)
  for (const finding of found) {
    // What an earlier repair has lost is among what this one has.
    if (finding.code !== 'lost_records') yield { ...finding, repaired: !left.has(nameOf(finding)) }
  }
  yield keptAs(file, kept)
  const names = new Set([...reported, ...found.map(nameOf)])
  for (const [name, finding] of left) if (!names.has(name)) yield finding
}

function nameOf({ code, place }: Finding): string {
  return `${code} ${place}`
}

function keptAs(file: string, kept: string): Finding {
  return {
    severity: 'warning',
    code: 'damaged_file_kept',
    place: file,
    message: `The file was made anew of what can be trusted in it. The damaged one is ${kept}.`,
    remedy: 'Remove it when nothing of it is needed any more.',
    repaired: true,
  }
}

async function* inspect(
  directory: string,
  file: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Finding, void, undefined> {
  signal?.throwIfAborted()
  const close = new AbortController()
  try {
    const engine = await openEngine({ directory, create: false }, close.signal)
    try {
      // Changes nothing, and fails where nobody could write.
      await engine.lock.run(() => engine.storage.database.exec('DELETE FROM writers WHERE false'))
      let turnBegan = performance.now()
      for (const finding of inspectFile(engine)) {
        if (finding !== undefined) yield finding
        if (performance.now() - turnBegan < longestTurnMs) continue
        await nextTurn()
        signal?.throwIfAborted()
        turnBegan = performance.now()
      }
    } finally {
      close.abort()
      engine.storage.database.close()
    }
  } catch (error) {
    signal?.throwIfAborted()
    yield asFinding(error, file)
  }
}

const longestTurnMs = 8

/** Findings that a repair does something about. */
const repairable = new Set([
  'damaged_storage',
  'damaged_pages',
  'damaged_batch',
  'missing_batch',
  'damaged_end',
  'damaged_writer',
  'leftover_bytes',
])

function noQueue(directory: string): Finding {
  return {
    severity: 'error',
    code: 'queue_not_found',
    place: directory,
    message: 'There is no queue in this folder.',
    remedy: 'Run a connector first, or name the folder of another queue.',
    repaired: false,
  }
}

function failedRepair(finding: Finding): Finding {
  if (finding.code !== 'damaged_storage') return finding
  const message = 'The damage is where it cannot be repaired: nobody can tell what belongs to which topic.'
  return { ...finding, message, remedy: 'Restore the file from a copy.', repairable: false }
}

function asFinding(error: unknown, file: string): Finding {
  const explained = toQueueError(error, file)
  if (!(explained instanceof HeadraceError)) throw error
  const { code, message } = explained
  const remedy = remedies[code] ?? 'The message says what to do.'
  const repairable = code === 'damaged_storage'
  return { severity: 'error', code, place: file, message, remedy, repaired: false, repairable }
}

const remedies: Readonly<Record<string, string>> = {
  queue_unavailable: 'Stop the other process, or make room on the disk.',
  damaged_storage: 'Restore the file from a copy, or run it with `repair`, which keeps what can be trusted.',
  unsupported_storage: 'Restore the file from a copy, or name the folder of another queue.',
  permission_denied:
    'Check who may write the file, and whether its disk is mounted read-only: then mount it for writing, or copy the ' +
    'folder to another disk. If the file can be written, its header is damaged: restore it from a copy.',
}
