import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openQueue, type Queue } from '@headrace/queue'
import { openShop, type Shop } from '../../../../server/test/shop/shop.ts'

export const orders = 'acme.shop.1_0_0.shop_Order'
/** Its records are large. */
export const returns = 'acme.shop.1_0_0.shop_Return'

/** An embedded queue with two topics of orders. */
export interface ShopQueue extends Shop, AsyncDisposable {
  readonly url: string
  readonly queue: Queue
}

export async function openShopQueue(): Promise<ShopQueue> {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-shop-'))
  const url = `embedded:${folder}`
  const queue = await openQueue(url)
  const shop = await openShop(queue, [orders, returns])
  const note = 'x'.repeat(16_000)
  for (let n = 0; n < 1000; n += 50) await shop.publish(returns, 50, () => ({ note }))
  return {
    ...shop,
    url,
    queue,
    async [Symbol.asyncDispose]() {
      await queue.close()
      await rm(folder, { recursive: true })
    },
  }
}
