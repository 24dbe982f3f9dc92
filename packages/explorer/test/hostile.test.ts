import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { awkward, scripts } from './hostile/corpus.ts'
import { hostileTopic, writeHostileProject } from './hostile/hostile-project.ts'
import { outside } from './layout.ts'
import { startLedger } from './ledger/ledger.ts'
import { phone, type Tab } from './tab.ts'
import { openWorld, type World } from './world.ts'

/** The newest are shown first. */
const texts = [...awkward, ...scripts.toReversed()]
const long = 'long <b>text</b> '.repeat(65_536)

describe.skipIf(inject('chromium') === null)('hostile data', () => {
  const opened = new AsyncDisposableStack()
  let world: World
  let token: string
  beforeAll(async () => {
    world = opened.use(await openWorld())
    const { folder } = opened.use(await writeHostileProject())
    const connector = opened.use(await startLedger(world.shop.queue, folder))
    const Thing = texts.map((text) => ({ name: text, text, members: { [text]: text }, texts: [text, text] }))
    await connector.publish({ Thing })
    await connector.publish({ Thing: [{ name: 'long', text: long, texts: [long] }] })
    const extremes = { name: 'extremes', signed: '-9223372036854775808', unsigned: '18446744073709551615' }
    await connector.publish({ Thing: [{ ...extremes, real: 'NaN' }] })
    await world.shop.waitForTopic(hostileTopic)
    const { key } = await world.shop.addKey({ name: scripts[1]!.slice(0, 64) })
    token = await world.shop.createToken(key)
  })
  afterAll(() => opened.disposeAsync())

  const open = (place: string) => world.open(place, { token })

  test('of records is shown as it is, in the table and in the detail', async () => {
    await using tab = await open(`/topics/${hostileTopic}`)
    const { page } = tab
    await page.getByRole('grid').waitFor()
    for (const text of scripts.slice(0, 8)) {
      const row = page.getByRole('row').filter({ hasText: text }).first()
      await row.click()
      const detail = page.getByRole('complementary')
      await expect.poll(() => detail.locator('bdi', { hasText: text }).count()).toBeGreaterThan(3)
      await page.keyboard.press('Escape')
    }
    await page.locator('.records-scroller').evaluate((element) => element.scrollTo(0, 100_000))
    await page.getByRole('row').filter({ hasText: 'onerror' }).first().waitFor()
    await expectHarmless(tab)
  })

  test('of 1 MB is shown in part, and whole on request', async () => {
    await using tab = await open(`/topics/${hostileTopic}`)
    const { page } = tab
    await page.getByRole('row').filter({ hasText: 'long <b>' }).click()
    const detail = page.getByRole('complementary')
    const texts = () =>
      detail.locator('bdi', { hasText: 'long <b>' }).evaluateAll((all) => all.map((one) => one.textContent!))
    await expect.poll(texts).toEqual(Array(2).fill(`${long.slice(0, 500)}…`))
    await detail.getByRole('button', { name: 'All 1,114,112 characters' }).first().click()
    await expect.poll(texts).toEqual([long, `${long.slice(0, 500)}…`])
    await expectHarmless(tab)
  })

  test('of 64 bits is exact, and a number that is none is named', async () => {
    await using tab = await open(`/topics/${hostileTopic}`)
    const { page } = tab
    await page.getByRole('row').filter({ hasText: 'extremes' }).click()
    const detail = page.getByRole('complementary')
    for (const text of ['-9,223,372,036,854,775,808', '18,446,744,073,709,551,615', 'NaN'])
      await detail.getByText(text, { exact: true }).waitFor()
    await detail.getByRole('button', { name: 'Copy value.unsigned' }).click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('18446744073709551615')
  })

  test('is text in every view, also in addresses', async () => {
    await using tab = await open('/topics')
    tab.allow(/status (of )?40[04]/)
    for (const [place, shows] of places) {
      await tab.go(place)
      await tab.page.getByText(shows).first().waitFor()
      await expectHarmless(tab)
    }
  })

  test('is text in an answer of the gateway', async () => {
    const text = scripts.join(' ')
    const body = JSON.stringify({ status: 403, code: text, detail: text })
    const fulfilled = { status: 403, contentType: 'application/problem+json', body }
    const prepare = async (page: Page) => {
      await page.route(/\/api\/v1\//, (route) => route.fulfill(fulfilled))
    }
    await using tab = await world.open('/topics', { prepare, allow: [/status (of )?403/] })
    for (const place of ['/topics', `/topics/${hostileTopic}`, '/connectors', '/usage']) {
      await tab.go(place)
      await tab.page.getByText(scripts[1]!).first().waitFor()
      await expectHarmless(tab)
    }
  })
})

const harmful = encodeURIComponent(scripts[1]!)
/** Places in the page, and what they show. */
const places: readonly (readonly [string, string | RegExp])[] = [
  ['/topics', scripts[1]!],
  [`/topics/${hostileTopic}/schema`, scripts[0]!],
  [`/topics/${hostileTopic}/use?filter=${encodeURIComponent(`value.name == '"\`$(id)'`)}`, 'curl'],
  ['/connectors', scripts[1]!],
  ['/usage', scripts[1]!.slice(0, 20)],
  [`/topics/${hostileTopic}?filter=${harmful}`, 'The filter is invalid'],
  [`/topics/${hostileTopic}?at=${harmful}`, 'The gateway refused the request'],
  [`/topics/${harmful}`, /no such topic|refused/],
  [`/topics?search=${harmful}zebra`, 'No topic matches'],
  [`/${harmful}`, 'There is no such page'],
]

/** Nothing was executed or made an element, and the layout is whole, on a phone too. */
async function expectHarmless(tab: Tab): Promise<void> {
  const { page } = tab
  const made = 'body script, iframe, img, object, embed, base, form[action], details[ontoggle], math, body style'
  expect(await page.evaluate(`[typeof executed, document.querySelectorAll('${made}').length]`)).toEqual([
    'undefined',
    0,
  ])
  expect(await outside(tab)).toEqual([])
  const desk = page.viewportSize()!
  await page.setViewportSize(phone)
  expect(await outside(tab)).toEqual([])
  await page.setViewportSize(desk)
}
