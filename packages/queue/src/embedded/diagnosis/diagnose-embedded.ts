import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { HeadraceError } from '../../errors.ts'
import type { Finding } from '../../finding.ts'
import { openEngine } from '../open-engine.ts'
import { toQueueError } from '../storage/sqlite-error.ts'
import { createFinding, lostRecords } from './findings.ts'
import { inspectFile } from './inspect-file.ts'
import { rebuildQueue } from './repair-queue.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/** Checks every page, row and batch. Throws only the signal's reason: every other failure is a finding. */
export async function* diagnoseEmbedded(directory: string, repair: boolean, signal?: AbortSignal): Findings {
  const file = resolve(directory, 'queue.db')
  if (!existsSync(file)) yield createFinding('queue_not_found', dirname(file), 'There is no queue in this folder.')
  else if (repair) yield* inspectAndRepair(file, signal)
  else yield* inspect(file, signal)
}

async function* inspectAndRepair(file: string, signal: AbortSignal | undefined): Findings {
  const found: Finding[] = []
  for await (const finding of inspect(file, signal)) found.push(finding)
  if (!found.some(({ repairable }) => repairable)) return yield* found
  let lost: Finding[]
  let kept: string
  try {
    using rebuilt = rebuildQueue(file)
    lost = rebuilt.lost.map(lostRecords)
    yield* lost
    signal?.throwIfAborted()
    kept = rebuilt.replaceDamaged()
  } catch (error) {
    signal?.throwIfAborted()
    yield* found
    return yield failedRepair(asFinding(error, file))
  }
  const remaining = new Map<string, Finding>()
  for await (const finding of inspect(file, signal)) remaining.set(identityOf(finding), finding)
  for (const finding of found) {
    // `lost` includes them.
    if (finding.code !== 'lost_records') yield { ...finding, repaired: !remaining.has(identityOf(finding)) }
  }
  const message = `The file was replaced by a repaired copy. The damaged file is kept as ${kept}.`
  yield { ...createFinding('damaged_file_kept', file, message), repaired: true }
  const known = new Set([...lost, ...found].map(identityOf))
  for (const [identity, finding] of remaining) if (!known.has(identity)) yield finding
}

function identityOf({ code, place }: Finding): string {
  return `${code} ${place}`
}

async function* inspect(file: string, signal: AbortSignal | undefined): Findings {
  signal?.throwIfAborted()
  const close = new AbortController()
  try {
    const engine = await openEngine({ directory: dirname(file), create: false }, close.signal)
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

function failedRepair(finding: Finding): Finding {
  if (finding.code !== 'damaged_storage') return finding
  const message = 'The damage cannot be repaired: it is not certain which records belong to which topic.'
  return { ...finding, message, remedy: 'Restore the file from a copy.', repairable: false }
}

function asFinding(error: unknown, file: string): Finding {
  const explained = toQueueError(error, file)
  if (!(explained instanceof HeadraceError)) throw error
  return createFinding(explained.code, file, explained.message)
}
