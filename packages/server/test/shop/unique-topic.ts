import { randomBytes } from 'node:crypto'

/** A unique name for a topic of orders, since tests share a Kafka cluster. */
export function uniqueTopic(): string {
  return `acme.shop${randomBytes(4).toString('hex')}.1_0_0.shop_Order`
}
