import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { diagnoseQueue, type Finding } from '@headrace/queue'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { planFaults } from '../../../../scripts/faults/fault-plan.ts'
import { fileDamages, type KnownFiles, lookInto, makeKnownFiles, writeQueueFiles } from './file-damages.ts'

let directory: string
let files: KnownFiles

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'headrace-queue-'))
  files = await makeKnownFiles(directory)
})
afterAll(() => rmSync(directory, { recursive: true }))

describe('a damaged file that is repaired', () => {
  it('serves nothing that is not true, and says of the rest that it is lost', async () => {
    const kinds = Object.keys(fileDamages)
    const plan = planFaults('embedded repair', { once: 11, scaled: 220, full: 2_200 }, kinds)
    const outcomes = { whole: 0, repaired: 0, hopeless: 0 }
    for (let round = 0; round < plan.count; round++) {
      const kind = kinds[round % kinds.length]!
      const name = `${kind}, round ${round}`
      const folder = join(directory, `damaged-${round}`)
      writeQueueFiles(folder, fileDamages[kind]!(files, plan.random))
      const found = await diagnose(folder, true)
      const left = (await diagnose(folder, false)).filter(({ severity }) => severity === 'error')
      const mayEndEarly = kind.includes('log') || found.some(({ code }) => code === 'damaged_end')
      const look = await lookInto(folder, files.known, mayEndEarly)
      expect(look.untrue, name).toEqual([])
      if (left.length > 0) {
        outcomes.hopeless++
        expect(found.at(-1)!.code, name).toMatch(/^((damaged|unsupported)_storage|permission_denied)$/)
      } else {
        outcomes[found.length === 0 ? 'whole' : 'repaired']++
        for (const error of look.errors) expect(error, name).toMatch(/^position_lost|lost before a repair/)
        const noted = found.some(({ code }) => code === 'lost_records' || code === 'damaged_end')
        expect(noted || look.errors.length === 0, `${name}: what is lost was told`).toBe(true)
      }
      rmSync(folder, { recursive: true })
      plan.hit(kind)
    }
    plan.expectAllHit()
    expect(outcomes.repaired, JSON.stringify(outcomes)).toBeGreaterThan(0)
  })
})

async function diagnose(folder: string, repair: boolean): Promise<Finding[]> {
  const findings: Finding[] = []
  for await (const finding of diagnoseQueue(`embedded:${folder}`, { repair })) findings.push(finding)
  return findings
}
