import { setTimeout as delay } from 'node:timers/promises'
import type { Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { outside } from './layout.ts'
import { transfers } from './ledger/ledger.ts'
import { phone, type Tab } from './tab.ts'
import { openWorld, type World } from './world.ts'

const topic = `/topics/${transfers}`
const places = ['/topics', topic, '/connectors', '/usage']

describe.skipIf(inject('chromium') === null)('a view', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
    await world.ledger.transfer(10)
    await world.shop.waitForTopic(transfers)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const openWith = (place: string, answer: (route: Route) => Promise<void>, status = 200) =>
    world.open(place, {
      allow: status < 400 ? [] : [new RegExp(`status (of )?${status}`)],
      prepare: async (page) => {
        await page.route(/\/api\/v1\//, answer)
      },
    })

  test.each([
    [429, 'rate_limited', 'A limit of the key is reached'],
    [403, 'topic_forbidden', 'Not allowed with this key'],
    [503, 'service_unavailable', 'No connection to the gateway'],
  ])(
    'of a gateway that answers with %d says why, and shows the data as soon as it comes',
    async (status, code, title) => {
      const body = JSON.stringify({ status, code, detail: `This is ${code}.` })
      const fulfilled = { status, contentType: 'application/problem+json', body }
      await using tab = await openWith('/topics', (route) => route.fulfill(fulfilled), status)
      for (const place of places) {
        await tab.go(place)
        await tab.page.getByRole('heading', { name: title }).waitFor()
        await tab.page.getByText(`This is ${code}.`).waitFor()
      }
      await expectAccessible(tab)
      await tab.page.unrouteAll()
      await tab.page.getByRole('button', { name: 'Try again' }).click()
      await tab.page.getByRole('heading', { name: title }).waitFor({ state: 'detached' })
    },
  )

  test('without a connection says so, keeps what it has, and continues by itself', async () => {
    await using tab = await world.open('/topics')
    tab.allow(/ERR_INTERNET_DISCONNECTED/)
    const { page } = tab
    await page.getByText('ledger_Transfer').waitFor()
    await page.context().setOffline(true)
    await page.waitForEvent('requestfailed')
    await page.getByText('ledger_Transfer').waitFor()
    await tab.go('/connectors')
    await page.getByRole('heading', { name: 'No connection to the gateway' }).waitFor()
    await expectAccessible(tab)
    await page.context().setOffline(false)
    await page.getByText('Ledger of an example bank').waitFor()
  })

  test('that waits for an answer says so', async () => {
    await using tab = await openWith('/topics', () => delay(2 ** 30, undefined, { ref: false }))
    for (const place of places) {
      await tab.go(place)
      await tab.page.getByRole('status', { name: 'Loading' }).waitFor()
    }
    await expectAccessible(tab)
  })

  test('of a gateway without topics says how they come', async () => {
    const fulfilled = { status: 200, contentType: 'application/json', body: '{"topics":[],"connectors":[]}' }
    await using tab = await openWith('/topics', (route) => route.fulfill(fulfilled))
    await tab.page.getByRole('heading', { name: 'No topics yet' }).waitFor()
    await expectAccessible(tab)
    await tab.go('/connectors')
    await tab.page.getByRole('heading', { name: /No connector/ }).waitFor()
    await expectAccessible(tab)
  })
})

async function expectAccessible(tab: Tab): Promise<void> {
  expect(await tab.accessibilityProblems()).toEqual([])
  await tab.page.emulateMedia({ colorScheme: 'dark' })
  await tab.page.setViewportSize(phone)
  expect(await tab.accessibilityProblems()).toEqual([])
  expect(await outside(tab)).toEqual([])
}
