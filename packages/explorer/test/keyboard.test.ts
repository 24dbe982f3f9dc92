import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { focusedElement, tabTo } from './keyboard.ts'
import { notices, transfers } from './ledger/ledger.ts'
import { openTab } from './tab.ts'
import { openWorld, type World } from './world.ts'

describe.skipIf(inject('chromium') === null)('by keyboard alone', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
    const Notice = Array.from({ length: 60 }, (_, number) => ({
      ts: new Date().toISOString(),
      title: `notice ${number}`,
    }))
    await world.ledger.publish({ Notice })
    await world.ledger.transfer(30)
    await world.shop.waitForTopic(notices)
    await world.shop.waitForTopic(transfers)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('a reader signs in, finds a topic, reads a record and comes back', async () => {
    await using tab = await openTab(world.browser, { origin: world.line.url })
    const { page } = tab
    const { keyboard } = page
    await page.getByLabel('API key').waitFor()
    await tabTo(tab, 'API key')
    await keyboard.type(world.shop.key)
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Topics' }).waitFor()
    await tabTo(tab, 'Search topics')
    await keyboard.type('notice')
    await tabTo(tab, notices)
    await keyboard.press('Enter')
    await page.getByRole('grid').waitFor()
    await expect.poll(() => focusedElement(tab)).toMatchObject({ isDocument: false })
    await tabTo(tab, 'notice 59')
    await keyboard.press('ArrowDown')
    await expect
      .poll(() => focusedElement(tab))
      .toMatchObject({ name: expect.stringContaining('notice 58'), isVisible: true })
    await keyboard.press('End')
    await expect
      .poll(() => focusedElement(tab))
      .toMatchObject({ name: expect.stringContaining('notice 0'), isVisible: true })
    await keyboard.press('PageUp')
    await keyboard.press('Home')
    await keyboard.press('ArrowDown')
    await keyboard.press('Enter')
    const detail = page.getByRole('complementary')
    await detail.getByText('notice 58').first().waitFor()
    await expect.poll(() => focusedElement(tab)).toMatchObject({ name: 'Record 58' })
    await keyboard.press('Escape')
    await detail.waitFor({ state: 'detached' })
    await expect
      .poll(() => focusedElement(tab))
      .toMatchObject({ name: expect.stringContaining('notice 58'), isVisible: true })
  })

  test('a reader completes the name of a field in the filter, and goes to a position', async () => {
    await using tab = await world.open(`/topics/${transfers}`)
    const { page } = tab
    const { keyboard } = page
    await page.getByRole('grid').waitFor()
    await tabTo(tab, 'Filter')
    await keyboard.type('value.num')
    await page.getByRole('option', { name: 'value.number' }).waitFor()
    await keyboard.press('Tab')
    await keyboard.type(' == 7')
    await keyboard.press('Enter')
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await expect.poll(() => focusedElement(tab)).toMatchObject({ name: 'Filter' })
    await keyboard.press('ControlOrMeta+a')
    await keyboard.press('Delete')
    await keyboard.press('Enter')
    await expect.poll(() => page.getByRole('row').count()).toBeGreaterThan(10)
    await tabTo(tab, 'log')
    await keyboard.press('Enter')
    await expect.poll(() => focusedElement(tab)).toMatchObject({ name: 'log' })
    await tabTo(tab, 'Go to a time or position')
    await keyboard.type('earliest')
    await keyboard.press('Enter')
    await page.getByText('History').waitFor()
    await expect.poll(() => focusedElement(tab)).toMatchObject({ isDocument: false })
    await tabTo(tab, 'Follow live')
    await keyboard.press('Enter')
    await page.getByText('Live', { exact: true }).waitFor()
    await expect.poll(() => focusedElement(tab)).toMatchObject({ isDocument: false })
  })
})
