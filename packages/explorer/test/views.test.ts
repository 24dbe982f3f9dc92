import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Focused, focusedElement, operable } from './keyboard.ts'
import { outside } from './layout.ts'
import { transfers } from './ledger/ledger.ts'
import { phone, type Tab } from './tab.ts'
import { views } from './views.ts'
import { openWorld, type World } from './world.ts'

describe.skipIf(inject('chromium') === null)('a view', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
    await world.ledger.publish({ Notice: [{ ts: new Date().toISOString(), title: 'Opening hours', text: 'New' }] })
    for (let unit = 0; unit < 5; unit++) await world.ledger.transfer(20)
    await world.ledger.transfer(20, undefined, { reverts: 2, isFinal: true })
    await world.shop.waitForTopic(transfers)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test.each(views)(
    '"$name" is accessible, by keyboard too, in light and dark, on a desk and on a phone',
    async (view) => {
      const allow = view.name === 'topic, wrong filter' ? [/status (of )?400/] : []
      await using tab = await world.open(view.place, { allow })
      await tab.page.getByText(view.shows).first().waitFor()
      expect(await tab.accessibilityProblems()).toEqual([])
      await expectReachable(tab)
      await tab.page.emulateMedia({ colorScheme: 'dark' })
      await tab.page.setViewportSize(phone)
      expect(await tab.accessibilityProblems()).toEqual([])
      expect(await outside(tab)).toEqual([])
    },
  )
})

/** Expects that Tab reaches everything that can be operated, and that the focus is always visible. */
async function expectReachable(tab: Tab): Promise<void> {
  const reached: Focused[] = []
  const expected = await operable(tab)
  for (;;) {
    await tab.page.keyboard.press('Tab')
    const focused = await focusedElement(tab)
    if (focused.isDocument) break
    reached.push(focused)
    if (reached.length > 300)
      throw new Error(`The focus does not come to the end: ${JSON.stringify(reached.slice(-10))}`)
  }
  expect(expected.filter((element) => !reached.some(({ name }) => name === element))).toEqual([])
  expect(reached.filter(({ isVisible }) => !isVisible)).toEqual([])
}
