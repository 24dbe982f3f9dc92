import { expect, test } from 'vitest'
import * as metrics from './index.ts'

test('the package exports the functions for metrics and nothing else', () => {
  expect(Object.keys(metrics).sort()).toEqual(['createRegistry', 'formatMetrics', 'metricsMediaType', 'serveMetrics'])
})
