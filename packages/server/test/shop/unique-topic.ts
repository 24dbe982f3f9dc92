import { randomBytes } from 'node:crypto'

/** The name of a topic of orders that no other test uses: tests over Kafka share a cluster. */
export function uniqueTopic(): string {
  return `acme.shop${randomBytes(4).toString('hex')}.1_0_0.shop_Order`
}
