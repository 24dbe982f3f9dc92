import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { HeadraceError } from '../../errors.ts'
import type { Finding } from '../../finding.ts'
import { openEngine } from '../open-engine.ts'
import { toQueueError } from '../storage/sqlite-error.ts'
import { lostRecords } from './findings.ts'
import { inspectFile } from './inspect-file.ts'
import { rebuildQueue } from './repair-queue.ts'

export interface DiagnoseEmbeddedOptions {
  readonly directory: string
  readonly repair?: boolean
  readonly signal?: AbortSignal | undefined
}

/**
 * Checks every page, row and batch. Throws only the signal's reason: every other failure is a finding.
 *
 * A repair yields each `lost_records` before the new file replaces the damaged one: a caller that ends the iteration there
 * has changed nothing. It fails while another process has the queue open.
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
      reported.add(identityOf(finding))
      yield finding
    }
    signal?.throwIfAborted()
    kept = rebuilt.replaceDamaged()
  } catch (error) {
    signal?.throwIfAborted()
    yield* found
    return yield failedRepair(asFinding(error, file))
  }
  const remaining = new Map<string, Finding>()
  for await (const finding of inspect(directory, file, signal)) remaining.set(identityOf(finding), finding)
  for (const finding of found) {
    // `rebuilt.lost` includes them.
    if (finding.code !== 'lost_records') yield { ...finding, repaired: !remaining.has(identityOf(finding)) }
  }
  yield damagedFileKept(file, kept)
  const known = new Set([...reported, ...found.map(identityOf)])
  for (const [identity, finding] of remaining) if (!known.has(identity)) yield finding
}

function identityOf({ code, place }: Finding): string {
  return `${code} ${place}`
}

function damagedFileKept(file: string, kept: string): Finding {
  return {
    severity: 'warning',
    code: 'damaged_file_kept',
    place: file,
    message: `The file was replaced by a repaired copy. The damaged file is kept as ${kept}.`,
    remedy: 'Remove the damaged file when it is no longer needed.',
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
      // Changes nothing, but fails if the file cannot be written.
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
  const message = 'The damage cannot be repaired: it is not certain which records belong to which topic.'
  return { ...finding, message, remedy: 'Restore the file from a copy.', repairable: false }
}

function asFinding(error: unknown, file: string): Finding {
  const explained = toQueueError(error, file)
  if (!(explained instanceof HeadraceError)) throw error
  const { code, message } = explained
  const remedy = remedies[code] ?? 'Restore the file from a copy.'
  const repairable = code === 'damaged_storage'
  return { severity: 'error', code, place: file, message, remedy, repaired: false, repairable }
}

const remedies: Readonly<Record<string, string>> = {
  queue_unavailable: 'Stop the other process, or make room on the disk.',
  damaged_storage: 'Restore the file from a copy, or run it with `repair`, which keeps what is not damaged.',
  unsupported_storage: 'Restore the file from a copy, or name the folder of another queue.',
  permission_denied:
    'Check the permissions of the file, and whether its disk is mounted read-only: then mount it for writing, or copy the ' +
    'folder to another disk. If the file can be written, its header is damaged: restore it from a copy.',
}
