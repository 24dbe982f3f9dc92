import type { Page } from 'playwright-core'

/** A view or a state of one. The states need the views before them, in this order. */
export interface PicturedView {
  readonly name: string
  /** Default: where the page is. */
  readonly place?: string
  readonly prepare?: (page: Page) => Promise<void>
}

export function views(topic: string): readonly PicturedView[] {
  const place = `/topics/${topic}`
  return [
    { name: 'topics', place: '/topics' },
    { name: 'topics-none-found', place: '/topics?search=zebra' },
    { name: 'topic', place },
    { name: 'topic-record', prepare: (page) => page.getByRole('row').nth(3).click() },
    { name: 'topic-log', place: `${place}?view=log` },
    { name: 'topic-history', place: `${place}?at=earliest` },
    { name: 'topic-filter', place: `${place}?filter=value.TransactionCount+%3E+20` },
    { name: 'topic-wrong-filter', place: `${place}?filter=value.Nothing` },
    { name: 'topic-schema', place: `${place}/schema` },
    { name: 'topic-use', place: `${place}/use` },
    { name: 'topic-unknown', place: '/topics/acme.nothing.1_0_0.nothing_Nothing' },
    { name: 'connectors', place: '/connectors' },
    { name: 'usage', place: '/usage' },
    { name: 'api', place: '/api' },
    { name: 'no-such-page', place: '/nowhere' },
    { name: 'topics-loading', place: '/topics', prepare: (page) => reloadWith(page, () => {}) },
    { name: 'topics-limited', prepare: (page) => reloadWith(page, refusal(429, 'rate_limited', limited)) },
    { name: 'topics-forbidden', prepare: (page) => reloadWith(page, refusal(403, 'topic_forbidden', forbidden)) },
    { name: 'topics-offline', prepare: (page) => reloadWith(page, (route) => route.abort('connectionrefused')) },
    { name: 'sign-in', prepare: signOut },
  ]
}

const limited = 'The key may send 10 requests per second. Wait 1 s.'
const forbidden = 'The key may not read this topic.'

type Handler = Parameters<Page['route']>[1]

async function reloadWith(page: Page, handler: Handler): Promise<void> {
  await page.unrouteAll()
  await page.route('**/api/v1/**', handler)
  await page.reload()
}

function refusal(status: number, code: string, detail: string): Handler {
  const body = JSON.stringify({ status, code, detail })
  return (route) => route.fulfill({ status, contentType: 'application/problem+json', body })
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click()
}
