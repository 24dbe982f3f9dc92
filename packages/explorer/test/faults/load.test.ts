import { setTimeout as delay } from 'node:timers/promises'
import type { CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Ledger, transfers } from '../ledger/ledger.ts'
import type { Tab } from '../tab.ts'
import { openWorld, type World } from '../world.ts'

const perSecond = 2000
const unitRecords = 100
const seconds = { once: 20, scaled: 30, full: 600 }[inject('faultScale')]
/** Between a warm-up and the end, the heap may grow by this share: what the chart and the newest rows still gain. */
const heapGrowth = 1.25

describe.skipIf(inject('chromium') === null)('2,000 records per second into an open topic', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
    await world.ledger.transfer(1)
    await world.shop.waitForTopic(transfers)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('are all counted, the page answers, and its heap stays as it is', async ({ task }) => {
    await using tab = await world.open(`/topics/${transfers}`)
    const { page } = tab
    await page.getByText('Live', { exact: true }).waitFor()
    const session = await page.context().newCDPSession(page)
    await page.evaluate(observeLongTasks)
    const heaps: number[] = []
    const answers: number[] = []
    const load = startLoad(world.ledger)
    const samples = 5
    for (let sample = 0; sample < samples; sample++) {
      for (const end = Date.now() + (seconds / samples) * 1000; Date.now() < end; await delay(500)) {
        answers.push(await answerMs(page))
        await delay(500)
        // The heap is measured while the page follows: held rows are kept beside those that are shown.
        answers.push(await answerMs(page))
      }
      heaps.push(await usedHeap(session))
    }
    const published = await load.stop()
    await expect.poll(() => countOf(page)).toBe(published)
    const shown = (await page.evaluate('longTasks')) as number[]
    const idle = await cpuShare(session, 3)
    const hiddenLoad = startLoad(world.ledger)
    const visible = await cpuShare(session, 3)
    await hide(tab)
    await delay(500)
    const hidden = await cpuShare(session, 5)
    await hiddenLoad.stop()
    task.meta.note = [
      `${published} records in ${seconds} s into an open topic:`,
      `answer to a click ${figures(answers)} ms; long tasks ${shown.length}, ${figures(shown)} ms;`,
      `heap ${heaps.map((bytes) => (bytes / 2 ** 20).toFixed(1)).join(', ')} MiB;`,
      `main thread idle ${percent(idle)}, loaded ${percent(visible)}, hidden ${percent(hidden)}`,
    ].join(' ')
    console.log(task.meta.note)
    // One sample has up to 2 MiB of garbage that was not collected.
    expect(Math.min(...heaps.slice(-2))).toBeLessThan(heaps[0]! * heapGrowth)
    expect(hidden).toBeLessThan(visible / 4)
  })
})

/** Publishes at a constant rate. `stop` resolves to the number of published records. */
function startLoad(ledger: Ledger): { stop(): Promise<number> } {
  let published = 0
  let isStopped = false
  const running = (async () => {
    const start = Date.now()
    while (!isStopped) {
      const due = ((Date.now() - start) / 1000) * perSecond
      if (published >= due) await delay(10)
      else {
        await ledger.transfer(unitRecords, undefined, { isFinal: true })
        published += unitRecords
      }
    }
  })()
  return {
    async stop() {
      isStopped = true
      await running
      return published
    },
  }
}

const observeLongTasks = `globalThis.longTasks = []
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask' })`

/** From a click on Pause or Follow to the frame after the change, in ms of the page. */
async function answerMs(page: Page): Promise<number> {
  return page.evaluate(`new Promise((resolve) => {
    const button = document.querySelector('.live-actions button')
    const before = button.textContent
    const start = performance.now()
    button.click()
    const check = () =>
      document.querySelector('.live-actions button').textContent === before
        ? requestAnimationFrame(check)
        : resolve(performance.now() - start)
    requestAnimationFrame(check)
  })`)
}

async function countOf(page: Page): Promise<number> {
  return Number((await page.locator('.counts').getByText('since opened').innerText()).replace(/\D/g, ''))
}

async function usedHeap(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  return (await session.send('Runtime.getHeapUsage')).usedSize
}

/** Share of the time in which the page's main thread works. */
async function cpuShare(session: CDPSession, seconds: number): Promise<number> {
  await session.send('Performance.enable')
  const busy = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')!.value
  }
  const before = await busy()
  await delay(seconds * 1000)
  return ((await busy()) - before) / seconds
}

async function hide({ page }: Tab): Promise<void> {
  await page.evaluate(`(() => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: 'hidden' })
    document.dispatchEvent(new Event('visibilitychange'))
  })()`)
}

function figures(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (share: number) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(0)
  return `median ${at(0.5)}, 99 of 100 at most ${at(0.99)}, most ${at(1)}`
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
