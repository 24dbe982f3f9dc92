import type { Queue } from '@headrace/queue'
import type { FastifyInstance } from 'fastify'
import { missingKey } from '../access/admission.ts'
import type { ApiContext } from '../api-context.ts'
import { type Endpoint, json } from '../api-definition/endpoint.ts'
import { checkNames, invalid, type Parameter, time } from '../api-definition/parameter.ts'
import { ref } from '../api-definition/schemas.ts'
import { overloaded } from '../errors.ts'
import type { Limits } from '../options/limits.ts'
import { type HourlyUsage, readUsage, type UsageRange } from '../usage/read-usage.ts'
import { formatHour, hourOf, sumUsage } from '../usage/usage-record.ts'
import { route } from './app.ts'

const dayMs = 86_400_000

export function addUsageRoute(app: FastifyInstance, { queue, limits, quotas }: ApiContext): void {
  const endpoint = usageEndpoint(limits)
  const read = readOneByOne(queue, limits.usageReads)
  route(app, endpoint, async (request, _reply, { key, address }) => {
    const { id, name } = key
    if (address !== undefined) throw missingKey('key')
    const { parameters } = endpoint
    const text = checkNames(request.query, parameters)
    // `to` first: if both are relative to now, the range must not exceed their difference.
    const to = parameters.to.read('to', text.to)
    const requested = parameters.from.read('from', text.from)
    if (to - requested > limits.usageDays * dayMs)
      throw invalid('from', `from may be at most ${limits.usageDays} days before to.`)
    const from = hourOf(requested)
    const hours = await read({ from, to, key: id })
    const quota = await quotas.state(key)
    return {
      key: { id, name },
      from: formatHour(from),
      to: new Date(to).toISOString(),
      total: sumUsage(hours),
      hours: hours.map(({ key, ...used }) => used),
      ...(quota && { quota }),
    }
  })
}

function readOneByOne(queue: Queue, most: number): (range: UsageRange) => Promise<HourlyUsage[]> {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return async (range) => {
    if (waiting >= most) throw overloaded('Too many requests for usage are waiting. Try again.')
    waiting++
    const reading = last.then(() => readUsage(queue, range))
    last = reading.catch(() => undefined)
    try {
      return await reading
    } finally {
      waiting--
    }
  }
}

export interface UsageEndpoint extends Endpoint {
  readonly parameters: { readonly from: Parameter<number>; readonly to: Parameter<number> }
}

export function usageEndpoint({ usageDays }: Limits): UsageEndpoint {
  return {
    path: '/api/v1/usage',
    id: 'readUsage',
    summary: 'Usage of the key, by hour',
    description: 'Of all gateways together. The last seconds are not included.',
    access: 'request',
    parameters: {
      from: time(
        `an RFC 3339 time, or a time ago: its hour is the first one. At most ${usageDays} days before \`to\``,
        '-24h',
      ),
      to: time('the same: hours that begin at this time or later are not included', '-0s'),
    },
    answer: json('The usage.', ref('Usage')),
    refusals: ['missing_key', 'invalid_parameter', 'overloaded'],
  }
}
