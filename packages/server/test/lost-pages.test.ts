import type { Queue } from '@headrace/queue'
import { expect, test } from 'vitest'
import { type PageJson, type ProblemJson, seqsOf } from './clients/shapes.ts'
import { orders, serveShop } from './shop/served-shop.ts'

test('a page whose records are removed while it is read is refused with the earliest position', async () => {
  await using shop = await serveShop()
  await shop.publish(orders, 20)
  const [described] = await shop.queue.describe([orders])
  const describe = async (names?: readonly string[]) => {
    return (await shop.queue.describe(names)).map((each) => (each.name === orders ? described! : each))
  }
  const queue: Queue = { ...shop.queue, describe }
  // No cache, so that removed records cannot be served.
  const another = await shop.startAnother({ queue, limits: { historyBytes: 1 } })
  await shop.waitForKey(another.url, shop.key)
  const page = async <T>(from: string): Promise<T> => {
    const response = await fetch(`${another.url}/api/v1/data/${orders}?api_key=${shop.key}&order=asc&from=${from}`)
    return (await response.json()) as T
  }
  expect((await page<PageJson>('earliest')).data).toHaveLength(20)
  await shop.queue.deleteBefore(orders, 0, 15n)
  const found = await page<ProblemJson>('earliest')
  expect(found).toMatchObject({ status: 410, code: 'position_unavailable', reason: 'retention' })
  expect(seqsOf((await page<PageJson>(found.earliest!)).data)).toEqual([15, 16, 17, 18, 19])
  await another.close()
})
