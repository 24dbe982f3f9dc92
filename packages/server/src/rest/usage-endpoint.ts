import type { Endpoint } from '../api-definition/endpoint.ts'
import type { TimeParameter } from '../api-definition/parameter.ts'
import type { Limits } from '../operations/limits.ts'

export interface UsageEndpoint extends Endpoint {
  readonly parameters: { readonly from: TimeParameter; readonly to: TimeParameter }
}

export function usageEndpoint({ usageDays }: Limits): UsageEndpoint {
  return {
    path: '/api/v1/usage',
    id: 'readUsage',
    summary: 'What the key has used, hour by hour',
    description: 'On all gateways together. The last seconds are missing.',
    access: 'request',
    parameters: {
      from: {
        kind: 'time',
        default: '-24h',
        description: `an RFC 3339 time, or a time ago: its hour is the first. At most ${usageDays} days before \`to\``,
      },
      to: { kind: 'time', default: '-0s', description: 'the same: hours that begin then or later are left out' },
    },
    answer: {
      description: 'What it has used.',
      content: { 'application/json': { $ref: '#/components/schemas/Usage' } },
    },
    refusals: ['invalid_parameter', 'overloaded'],
  }
}
