import { createHash } from 'node:crypto'
import type { JsonValue } from '@bufbuild/protobuf'

const amounts = ['9223372036854775807', '-9223372036854775808', '0', '-1', '1250000', '9007199254740993']

/** Transfer `number`, in the JSON of protobuf. Its time is the present. */
export function transferOf(number: number): Readonly<Record<string, JsonValue>> {
  const digest = createHash('sha256').update(`${number}`).digest()
  return {
    ts: new Date().toISOString(),
    number: `${number}`,
    from: digest.subarray(0, 20).toString('base64'),
    to: digest.subarray(12).toString('base64'),
    amount: amounts[number % amounts.length]!,
    hash: digest.toString('base64'),
    state: number % 3 === 0 ? 'UNKNOWN' : 'BOOKED',
    legs: Array.from({ length: number % 3 }, (_, leg) => ({ bank: `bank ${leg}`, fee: `${number * 100 + leg}` })),
    tags: number % 2 ? { purpose: 'rent', channel: 'web' } : {},
    memo: number % 4 ? `Transfer ${number} to a friend` : '',
    rate: number / 7,
    urgent: number % 5 === 0,
  }
}
