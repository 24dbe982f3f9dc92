import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { forge, now } from '../../server/test/attacks/forge-token.ts'
import { openTab, type Tab } from './tab.ts'
import { openWorld, type World } from './world.ts'

describe.skipIf(inject('chromium') === null)('signing in', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const openSignedOut = () => openTab(world.browser, { origin: world.line.url })

  test('exchanges a key for a token, and keeps only the token, in the tab', async () => {
    const { key } = world.shop
    await using tab = await openSignedOut()
    const { page } = tab
    await page.getByLabel('API key').fill(`  ${key}\n`)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Topics' }).waitFor()
    const stored = await storedText(tab)
    expect(stored).toMatch(/"headrace.token":"eyJ[\w-]+\.[\w-]+\.[\w-]+"/)
    expect(stored).not.toContain(key)
    expect(await page.content()).not.toContain(key)
    await page.reload()
    await page.getByRole('heading', { name: 'Topics' }).waitFor()
    const other = await page.context().newPage()
    await other.goto(world.line.url)
    await other.getByLabel('API key').waitFor()
  })

  test('with a wrong key says what is wrong, and the next try succeeds', async () => {
    await using tab = await openSignedOut()
    const { page } = tab
    tab.allow(/status (of )?401/)
    const field = page.getByLabel('API key')
    await field.fill('hr_test_0000_wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText(/key/i).waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    expect(await storedText(tab)).not.toContain('token')
    expect(await tab.accessibilityProblems()).toEqual([])
    await field.fill('not a key')
    await page.keyboard.press('Enter')
    await page.getByText('A key has no spaces').waitFor()
    await field.fill(world.shop.key)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Topics' }).waitFor()
  })

  test('without a connection says so', async () => {
    await using tab = await openSignedOut()
    tab.allow(/ERR_INTERNET_DISCONNECTED/)
    await tab.page.context().setOffline(true)
    await tab.page.getByLabel('API key').fill(world.shop.key)
    await tab.page.keyboard.press('Enter')
    await tab.page.getByText('The gateway does not answer.').waitFor()
  })

  test('with the token of a link leaves it neither in the address nor in the history', async () => {
    await using tab = await openSignedOut()
    const { page } = tab
    const requested: string[] = []
    page.on('request', (request) => requested.push(request.url(), request.headers().referer ?? ''))
    await page.goto('about:blank')
    await page.addInitScript({
      content: `addEventListener('DOMContentLoaded', () => { globalThis.firstAddress = location.href })`,
    })
    await page.goto(`${world.line.url}/#token=${world.token}`)
    await page.getByRole('heading', { name: 'Topics' }).waitFor()
    expect(await page.evaluate('[firstAddress, location.href]')).toEqual(Array(2).fill(`${world.line.url}/#/`))
    await page.goBack()
    expect(page.url()).toBe('about:blank')
    await page.goForward()
    expect(page.url()).toBe(`${world.line.url}/#/`)
    await page.getByRole('heading', { name: 'Topics' }).waitFor()
    const signature = world.token.split('.')[2]!
    expect(requested.filter((url) => url.includes(signature) && !url.includes('#'))).toEqual([])
  })

  test('with the token of a link replaces that of an earlier one in the same tab', async () => {
    await using tab = await openSignedOut()
    const { page } = tab
    tab.allow(/status (of )?401/)
    const expired = forge(world.shop.key, { claims: { iat: now() - 1000, exp: now() - 500 } })
    await page.goto('about:blank')
    await page.goto(`${world.line.url}/#token=${expired}`)
    await page.getByText('The session has ended. Sign in again.').waitFor()
    expect(await storedText(tab)).not.toContain('eyJ')
    // The page is open already, so only its fragment changes.
    await page.goto(`${world.line.url}/#token=${world.token}`)
    await page.getByRole('heading', { name: 'Topics' }).waitFor()
    expect(page.url()).toBe(`${world.line.url}/#/`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('API key').waitFor()
    expect(await storedText(tab)).not.toContain('eyJ')
  })
})

/** What the browser keeps for the page: storage of all kinds, cookies and the state of the history. */
async function storedText({ page }: Tab): Promise<string> {
  const stored = await page.evaluate(
    `indexedDB.databases().then((databases) =>
      JSON.stringify([sessionStorage, localStorage, document.cookie, history.state, window.name, databases]))`,
  )
  return stored as string
}
