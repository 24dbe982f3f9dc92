import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { forge, now } from '../../server/test/attacks/forge-token.ts'
import { numbers } from '../../server/test/clients/shapes.ts'
import { type Ledger, notices } from './ledger/ledger.ts'
import type { Tab } from './tab.ts'
import { openWorld, type World } from './world.ts'

/** What Chromium reports of connections that are broken on purpose. */
const lost = [/ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE|ERR_NETWORK|ERR_SOCKET/, /WebSocket/]

describe.skipIf(inject('chromium') === null)('a topic that is open', () => {
  let world: World
  let published = 0
  /** Titles of the canonical records, by unit. */
  const units: number[][] = []
  beforeAll(async () => {
    world = await openWorld({ limits: { heartbeatMs: 1000 } })
    await publish(10)
    await world.shop.waitForTopic(notices)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  /** Publishes further notices as one unit. Their titles count from 0. */
  async function publish(count: number, options?: Parameters<Ledger['publish']>[1]): Promise<void> {
    const ts = new Date().toISOString()
    const unit = numbers(published, published + count)
    const Notice = unit.map((number) => ({ ts, title: `notice ${number}.` }))
    published += count
    units.splice(units.length - (options?.reverts ?? 0))
    units.push(unit)
    await world.ledger.publish({ Notice }, options)
  }

  async function openNotices(options: Parameters<World['open']>[1] = {}, query = ''): Promise<Tab> {
    const tab = await world.open(`/topics/${notices}${query}`, options)
    await tab.page.getByText('Live', { exact: true }).waitFor()
    return tab
  }

  const countOf = async ({ page }: Tab) => {
    const text = await page.locator('.counts').getByText('since opened').innerText()
    return Number(text.replace(/\D/g, ''))
  }

  /** The rows in view and some around, the newest first. */
  const shownTitles = ({ page }: Tab) =>
    page
      .locator('tr[data-id] td:nth-child(3)')
      .allInnerTexts()
      .then((texts) => texts.map((text) => parseInt(text.slice(7), 10)))

  async function expectShown(tab: Tab): Promise<void> {
    await expect.poll(async () => (await shownTitles(tab))[0]).toBe(published - 1)
    const titles = await shownTitles(tab)
    expect(titles).toEqual(units.flat().toReversed().slice(0, titles.length))
  }

  test('shows and counts each record once, through broken connections and a restarted gateway', async () => {
    await using tab = await openNotices()
    // Why its WebSocket was refused, the page asks with a request: the gateway may be back by then, and answers 426.
    tab.allow(...lost, /status (of )?(426|503)/)
    const before = published
    for (let step = 0; step < 4; step++) {
      await publish(7)
      if (step === 1) world.line.cut()
      if (step === 2) {
        world.line.down = true
        world.line.cut()
        await tab.page.getByText('Reconnecting').waitFor()
        world.line.down = false
      }
      if (step === 3) await world.restart()
      await publish(7)
      await expectShown(tab)
      await expect.poll(() => countOf(tab)).toBe(published - before)
    }
    await tab.page.getByText('Live', { exact: true }).waitFor()
  })

  test('reads over SSE where WebSocket is blocked', async () => {
    world.line.blocksUpgrades = true
    const stream = Promise.withResolvers<void>()
    await using tab = await world.open(`/topics/${notices}`, {
      // The client asks why there is no WebSocket.
      allow: [...lost, /status (of )?426/],
      prepare: async (page) => {
        page.on('request', (request) => request.url().includes('/sse/v1') && stream.resolve())
      },
    })
    await stream.promise
    await tab.page.getByText('Live', { exact: true }).waitFor()
    const before = published
    await publish(5)
    await expectShown(tab)
    await expect.poll(() => countOf(tab)).toBe(published - before)
    world.line.blocksUpgrades = false
  })

  test('marks records that are reverted while it is shown, and counts them', async () => {
    await using tab = await openNotices()
    await publish(3)
    await publish(2)
    await expectShown(tab)
    const revertedTitles = () => tab.page.locator('tr.reverted td:nth-child(3)').allInnerTexts()
    await tab.page.getByRole('row', { name: `notice ${published - 1}.` }).click()
    const detail = tab.page.getByRole('complementary')
    await detail.waitFor()
    const first = published - 5
    await publish(1, { reverts: 2 })
    await detail.getByText('reverted', { exact: true }).waitFor()
    await tab.page.keyboard.press('Escape')
    const expected = numbers(first + 5, first).map((number) => `notice ${number}.`)
    await expect.poll(revertedTitles).toEqual(expected)
    await tab.page.locator('.counts').getByText('5 reverted').waitFor()
    await using log = await openNotices({}, '?view=log')
    expect(await log.page.locator('tr.revert').count()).toBe(5)
    expect(await log.page.locator('tr.reverted td:nth-child(3)').allInnerTexts()).toEqual(expected)
  })

  test('asks for a key when the key is revoked, and when the token expires', async () => {
    const { key, id } = await world.shop.addKey()
    await using revoked = await openNotices({ token: await world.shop.createToken(key) })
    const short = forge(world.shop.key, { claims: { iat: now(), exp: now() + 4 } })
    // It is open by then, unless the machine is very slow.
    await using expired = await world.open(`/topics/${notices}`, { token: short })
    for (const tab of [revoked, expired]) tab.allow(...lost, /status (of )?401/)
    await world.shop.revokeKey(id)
    await revoked.page
      .getByRole('alert')
      .getByText(/revoked/)
      .waitFor()
    await expired.page
      .getByRole('alert')
      .getByText(/session has ended|expired/)
      .waitFor()
    for (const { page } of [revoked, expired])
      expect(await page.evaluate('sessionStorage.getItem("headrace.token")')).toBeNull()
  })

  test('reads nothing while its tab is hidden, and then shows how many records it left out', async () => {
    await using tab = await openNotices()
    await publish(1)
    await expectShown(tab)
    await setHidden(tab, true)
    await world.line.quiet()
    const received = world.line.received
    await publish(150)
    await publish(60)
    await delay(500)
    expect(world.line.received).toBe(received)
    await setHidden(tab, false)
    await expect.poll(async () => (await shownTitles(tab))[0]).toBe(published - 1)
    await tab.page.locator('.records-scroller').evaluate((element) => element.scrollTo(0, 100 * 30))
    await tab.page.getByText('110 records arrived while this tab was hidden').waitFor()
  })

  test('holds its rows while it is paused, and continues with those that waited', async () => {
    await using tab = await openNotices()
    await tab.page.getByRole('button', { name: 'Pause' }).click()
    const before = await shownTitles(tab)
    await publish(12)
    await tab.page.getByRole('button', { name: '12 newer' }).waitFor()
    expect(await shownTitles(tab)).toEqual(before)
    await tab.page.getByRole('button', { name: '12 newer' }).click()
    await expectShown(tab)
  })
})

async function setHidden({ page }: Tab, isHidden: boolean): Promise<void> {
  await page.evaluate(`(() => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${isHidden ? 'hidden' : 'visible'}' })
    document.dispatchEvent(new Event('visibilitychange'))
  })()`)
}
