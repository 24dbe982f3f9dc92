import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { diagnoseQueue, type Finding } from '@headrace/queue'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import type { Random } from '../../../testbed/random.ts'
import { compareFolder, createExampleFiles, type ExampleFiles, fileDamages, writeQueueFiles } from './file-damages.ts'
import { lostRanges, offsetsOf, rangesNotServed, readBatches, touchedBatches } from './repair-audit.ts'
import { damageRows, rowDamages } from './row-damages.ts'

let directory: string
let files: ExampleFiles

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'headrace-queue-'))
  files = await createExampleFiles(directory)
})
afterAll(() => rmSync(directory, { recursive: true }))

describe('a repaired file', () => {
  it('serves every record except those reported as lost, all of which are in damaged batches', async () => {
    const kinds = [...Object.keys(fileDamages), ...Object.keys(rowDamages)]
    const plan = planFaults('embedded repair', { once: 32, scaled: 256, full: 2_560 }, kinds)
    writeQueueFiles(join(directory, 'whole'), files.closed)
    const batches = readBatches(join(directory, 'whole', 'queue.db'))
    const totals = { whole: 0, repaired: 0, unrepairable: 0, lost: 0 }
    for (let round = 0; round < plan.count; round++) {
      const kind = kinds[round % kinds.length]!
      const name = `${kind}, round ${round}`
      const folder = join(directory, `damaged-${round}`)
      const copy = join(directory, `damaged-${round}.db`)
      damageFiles(folder, kind, plan.random)
      copyFileSync(join(folder, 'queue.db'), copy)
      const found = await diagnose(folder, true)
      const left = (await diagnose(folder, false)).filter(({ severity }) => severity === 'error')
      if (left.length > 0) {
        totals.unrepairable++
        expect(found.at(-1)!.code, name).toMatch(/^((damaged|unsupported)_storage|permission_denied)$/)
        expect(kind, `${name}, can be repaired`).toMatch(mayBeUnrepairable)
      } else {
        totals[found.length === 0 ? 'whole' : 'repaired']++
        if (!kind.includes('log')) {
          const [lost, reported, touched] = [
            await rangesNotServed(folder, files.expected),
            lostRanges(found),
            touchedBatches(copy, batches),
          ].map((ranges) => offsetsOf(ranges, files.expected))
          expect(reported, `${name}: what is not served is reported`).toEqual(lost)
          expect(
            [...lost!].filter((offset) => !touched!.has(offset)),
            `${name}: no other batch is lost`,
          ).toEqual([])
          totals.lost += lost!.size
        }
        const endIsKnown = found.every(({ lost }) => lost === undefined || lost.last !== undefined)
        const comparison = await compareFolder(folder, files.expected, kind.includes('log') || !endIsKnown)
        for (const error of comparison.errors) expect(error, name).toMatch(/^position_lost|lost before a repair/)
        expect(comparison.differences, name).toEqual([])
      }
      rmSync(folder, { recursive: true })
      rmSync(copy)
      plan.hit(kind)
    }
    plan.expectAllHit()
    console.log(`embedded repair: ${JSON.stringify(totals)}`)
    expect(totals.repaired).toBeGreaterThan(plan.count / 2)
  })
})

/** Damage to the definitions of the tables, or to rows of topics or partitions, may be impossible to repair. */
const mayBeUnrepairable = /^(a bit|bits|two exchanged pages|a page|some pages|a truncated file|an end|.*topics)/

function damageFiles(folder: string, kind: string, random: Random): void {
  const damage = fileDamages[kind]
  writeQueueFiles(folder, damage === undefined ? files.closed : damage(files, random))
  if (damage === undefined) damageRows(join(folder, 'queue.db'), kind, random)
}

async function diagnose(folder: string, repair: boolean): Promise<Finding[]> {
  const findings: Finding[] = []
  for await (const finding of diagnoseQueue(`embedded:${folder}`, { repair })) findings.push(finding)
  return findings
}
