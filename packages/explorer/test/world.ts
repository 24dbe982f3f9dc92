import { explorerFolder } from '@headrace/explorer'
import type { GatewayLimits } from '@headrace/server'
import { type Browser, chromium } from 'playwright-core'
import { inject } from 'vitest'
import { type Line, openLine } from '../../server/test/clients/line.ts'
import { type ServedShop, serveShop } from '../../server/test/shop/served-shop.ts'
import { type Ledger, startLedger } from './ledger/ledger.ts'
import { openTab, type Tab, type TabOptions } from './tab.ts'

/** A gateway that serves the explorer, a connector that writes to its queue, and a browser. */
export interface World extends AsyncDisposable {
  readonly shop: ServedShop
  readonly ledger: Ledger
  readonly browser: Browser
  /** Between the browser and the gateway. */
  readonly line: Line
  /** Of the key of the shop. */
  readonly token: string
  /** Opens a tab that is signed in with `token`. */
  open(place: string, options?: Partial<TabOptions>): Promise<Tab>
  /** Starts the gateway again, at the same address. */
  restart(): Promise<void>
}

export async function openWorld({ limits }: { limits?: Partial<GatewayLimits> } = {}): Promise<World> {
  await using opened = new AsyncDisposableStack()
  const shop = opened.use(await serveShop({ explorer: explorerFolder, ...(limits && { limits }) }))
  const ledger = opened.use(await startLedger(shop.queue))
  const { port } = new URL(shop.url)
  const line = opened.use(await openLine(Number(port)))
  const browser = await chromium.connect(inject('chromium')!)
  opened.defer(() => browser.close())
  const token = await shop.createToken(shop.key)
  let gateway = shop.gateway
  const resources = opened.move()
  resources.defer(() => gateway.close())
  return {
    ...{ shop, ledger, browser, line, token },
    open: (place, options = {}) => openTab(browser, { origin: line.url, token, place, ...options }),
    async restart() {
      await gateway.close()
      gateway = await shop.startAnother({ port: Number(port) })
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
