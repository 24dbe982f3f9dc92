import type { JsonSchema } from '@headrace/catalog'

/** The two ways to send a key. The documents have different words for a key in a query. */
export function securitySchemes(keyType: 'apiKey' | 'httpApiKey'): JsonSchema {
  return {
    bearer: { type: 'http', scheme: 'bearer', description: 'An API key: `hr_live_…` or `hr_test_…`.' },
    parameter: { type: keyType, in: 'query', name: 'api_key', description: 'The same, and not both.' },
  }
}
