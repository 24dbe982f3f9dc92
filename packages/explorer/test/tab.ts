import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { default as Axe, AxeResults } from 'axe-core'
import type { Browser, Page } from 'playwright-core'

/** A page of the explorer in a browser context of its own. Disposing it throws if anything went wrong in it. */
export interface Tab extends AsyncDisposable {
  readonly page: Page
  /** What no page may cause: errors, refused or failed requests, requests to another origin, violations of the CSP. */
  readonly problems: readonly string[]
  /** From now on, problems that match are expected. */
  allow(...patterns: readonly RegExp[]): void
  /** Goes to a place in the page, such as `/topics`. */
  go(place: string): Promise<void>
  /** Violations of the rules for accessibility. */
  accessibilityProblems(): Promise<readonly string[]>
}

export interface TabOptions {
  readonly origin: string
  /** Default: none, so the page asks for a key. */
  readonly token?: string
  /** In the page. Default: `/`. */
  readonly place?: string
  readonly isDark?: boolean
  /** Of the window, in pixels. Default: 1280 × 800. */
  readonly size?: { readonly width: number; readonly height: number }
  /** Problems that are expected. */
  readonly allow?: readonly RegExp[]
  /** Called before the page is opened. */
  readonly prepare?: (page: Page) => Promise<void>
}

export const phone = { width: 390, height: 844 }

export async function openTab(browser: Browser, options: TabOptions): Promise<Tab> {
  const { origin, token, place = '/', isDark = false, size = { width: 1280, height: 800 } } = options
  const context = await browser.newContext({
    viewport: size,
    colorScheme: isDark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    locale: 'en-GB',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  const { problems, allow } = watchProblems(page, origin, options.allow)
  await page.addInitScript({ content: reportViolations })
  if (token) await page.addInitScript((given) => sessionStorage.setItem('headrace.token', given), token)
  await options.prepare?.(page)
  await page.goto(`${origin}/#${place}`)
  return {
    page,
    problems,
    allow,
    async go(place) {
      await page.evaluate(`location.hash = ${JSON.stringify(place)}`)
    },
    accessibilityProblems: () => runAxe(page),
    async [Symbol.asyncDispose]() {
      await context.close()
      if (problems.length > 0) throw new Error(`The page has problems:\n${problems.join('\n')}`)
    },
  }
}

function watchProblems(page: Page, origin: string, expected: readonly RegExp[] = []) {
  const problems: string[] = []
  const allowed = [...expected]
  const report = (problem: string) => {
    // The page itself closes what it no longer needs.
    if (problem.includes('WebSocket is closed before the connection is established')) return
    if (!allowed.some((pattern) => pattern.test(problem))) problems.push(problem)
  }
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) report(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => report(`uncaught: ${error.stack}`))
  page.on('crash', () => report('crashed'))
  page.on('dialog', (dialog) => {
    report(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('popup', (popup) => report(`popup: ${popup.url()}`))
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) report(`request to another origin: ${request.url().slice(0, 200)}`)
  })
  page.on('requestfailed', (request) => {
    // The page itself aborts what it no longer needs.
    const reason = request.failure()?.errorText
    if (reason !== 'net::ERR_ABORTED') report(`failed: ${reason} ${request.url()}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400) report(`status ${response.status()}: ${response.url()}`)
  })
  const allow = (...patterns: readonly RegExp[]) => void allowed.push(...patterns)
  return { problems, allow }
}

/** Runs in the page. */
const reportViolations = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
  console.error('violates the CSP:', violatedDirective, blockedURI, sample))`

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

async function runAxe(page: Page): Promise<string[]> {
  await page.evaluate(axeSource)
  const { violations } = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof Axe }
    const results = await axe.run({ resultTypes: ['violations'] })
    return { violations: results.violations } satisfies Partial<AxeResults>
  })
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 200)} ${failureSummary}`),
  )
}
