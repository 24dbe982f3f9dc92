import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { launchOptions, missingChromium } from '../../packages/testbed/browser/chromium.ts'
import { parseArguments, printHelp } from '../build/arguments.js'
import { startDemo } from './demo-process.ts'
import { views } from './views.ts'

printHelp(`
npm run pictures -- [--all FOLDER]

Makes docs/explorer-light.png and docs/explorer-dark.png from the demo, in about three minutes. Needs Chromium.

  --all FOLDER  instead a picture of each view and state, 1440 and 390 pixels wide, light and dark, for a reviewer
`)

const topic = 'headrace.evm.1_0_0.ethereum_Block'
const themes = ['light', 'dark'] as const
const desk = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }
/** The chart of a topic begins when it is opened. */
const chartedMs = 120_000
const largestBytes = 250_000

const { all } = parseArguments({ options: { all: { type: 'string' } } }).values
const missing = missingChromium()
if (missing) throw new Error(`There can be no pictures: ${missing}.`)
await using demo = await startDemo()
const browser = await chromium.launch(launchOptions)
try {
  if (all === undefined) await makePictures(browser, demo.link)
  else await makeAll(browser, demo.link, all)
} finally {
  await browser.close()
}

async function makePictures(browser: Browser, link: string): Promise<void> {
  const page = await openPage(browser, link)
  await go(page, `/topics/${topic}`)
  await page.getByRole('grid').waitFor()
  await page.waitForTimeout(chartedMs)
  // Right after a reorganisation.
  await page.locator('tbody tr:nth-child(-n + 8).reverted').first().waitFor()
  for (const theme of themes) {
    const path = join(import.meta.dirname, `../../docs/explorer-${theme}.png`)
    await page.emulateMedia({ colorScheme: theme })
    await page.screenshot({ path })
    const { size } = statSync(path)
    if (size > largestBytes) throw new Error(`${path} has ${size} bytes. At most ${largestBytes} are allowed.`)
    console.log(`${path}  ${size} bytes`)
  }
}

async function makeAll(browser: Browser, link: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const page = await openPage(browser, link)
  await go(page, `/topics/${topic}`)
  await page.locator('tr', { hasText: /^30/ }).first().waitFor({ timeout: 300_000 })
  for (const { name, place, prepare } of views(topic)) {
    await page.setViewportSize(desk)
    await page.unrouteAll()
    if (place !== undefined) await go(page, place)
    await prepare?.(page)
    await page.waitForTimeout(1500)
    for (const size of [desk, phone])
      for (const theme of themes) {
        await page.setViewportSize(size)
        await page.emulateMedia({ colorScheme: theme })
        await page.waitForTimeout(300)
        await page.screenshot({ path: join(folder, `${name}-${size.width}-${theme}.png`) })
      }
  }
}

async function openPage(browser: Browser, link: string): Promise<Page> {
  const page = await browser.newPage({ viewport: desk, colorScheme: 'light', locale: 'en-GB', reducedMotion: 'reduce' })
  await page.goto(link)
  await page.getByText('ethereum_Block').waitFor()
  return page
}

async function go(page: Page, place: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(place)}`)
}
