import { serveShop, orders } from './test/shop/served-shop.ts'
const shop = await serveShop()
await shop.publish(orders, 200, (n) => ({ note: `${n}` }))
console.log(JSON.stringify({ url: shop.url, key: shop.key }))
process.on('SIGTERM', async () => { await shop[Symbol.asyncDispose](); process.exit() })
