import type { TestProject } from '@headrace/sdk/testing'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chainConnector, type Head, unitOf } from '../chain/connector.ts'
import { newChain, openChain } from '../chain/open.ts'
import { expectExactlyOnce } from '../exactly-once.ts'
import { createPausePoint } from '../half-way.ts'
import { expectReplayed } from '../reverts/replay.ts'
import { parseScript } from '../reverts/script.ts'
import { observed, watchChild } from './kills.ts'
import { languages } from './languages.ts'
import { scriptedChild } from './scripted-child.ts'

const blocks = Array.from({ length: 21 }, (_, number) => unitOf(number))

let project: TestProject

beforeEach(async () => {
  project = await openChain()
})
afterEach(() => project.close())

for (const language of languages)
  describe.skipIf(language.missing)(`a child in ${language.name}`, () => {
    test('is published once, whole and in order, and the run ends with it', async () => {
      const child = scriptedChild(project, { language, units: blocks })
      const summary = await project.run(child)
      expect(summary).toMatchObject({ units: 21, records: 21 + 30, badMessages: 0, reason: 'ended' })
      await expectExactlyOnce(project, 20)
      expect(await project.run(child)).toMatchObject({ units: 0, records: 0, reason: 'ended' })
    })

    test('continues where it was stopped', async () => {
      const child = scriptedChild(project, { language, units: blocks, oneByOne: true })
      expect(await project.run(child, { stopAfter: 5 })).toMatchObject({ units: 5, reason: 'stopped' })
      expect(await project.run(child)).toMatchObject({ units: 16, reason: 'ended' })
      await expectExactlyOnce(project, 20)
    })

    test('is fenced by a newer run, and nothing is lost or repeated', async () => {
      const pausePoint = createPausePoint()
      const child = scriptedChild(project, { language, units: blocks, oneByOne: true })
      const older = project.run({
        schema: child.schema,
        async *read(source) {
          for await (const unit of child.read(source)) {
            if (source.history().length === 10) await pausePoint.pause()
            yield unit
          }
        },
      })
      const fenced = expect(older).rejects.toMatchObject({ code: 'fenced' })
      await pausePoint.reached
      await project.run(chainConnector())
      pausePoint.resume()
      await fenced
      await expectExactlyOnce(project, 20)
    })

    test('is killed three times, and each time the next one continues after the newest committed unit', async () => {
      const watch = watchChild()
      const killAt = new Set([3, 4, 10])
      const child = scriptedChild(project, { language, units: blocks, oneByOne: true })
      const connector = observed(child, ({ checkpoint }) => {
        if (killAt.delete((checkpoint as Head).number)) watch.kill()
      })
      const summary = await project.run(connector, {
        retry: { firstMs: 1, maxMs: 10, budgetMs: 60_000 },
        log: pino({}, watch),
      })
      expect(summary).toMatchObject({ units: 21, reason: 'ended' })
      expect(watch.starts).toBe(4)
      await expectExactlyOnce(project, 20)
    })

    // All contents of a frame: a revert to the start, one without messages, one of several units, and a final unit.
    test('reverts units, while it runs and after it was down', async () => {
      const units = parseScript('a0 a1 <b0 b1 b0< c1! c2 c3 c1<d2 d3')
      const summary = await project.run(scriptedChild(project, { language, units, oneByOne: true }))
      expect(summary).toMatchObject({ units: units.length, reason: 'ended' })
      await expectReplayed(project, units)

      await using stopped = await project.openOther(new URL('../chain/', import.meta.url), {
        settings: { chain: newChain() },
      })
      for (const count of [2, 4, 8, units.length])
        await stopped.run(scriptedChild(stopped, { language, units: units.slice(0, count) }))
      await expectReplayed(stopped, units)
    })
  })
