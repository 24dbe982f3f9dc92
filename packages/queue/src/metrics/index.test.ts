import { expect, test } from 'vitest'
import * as metrics from './index.ts'

test('exports are those that programs with metrics build on', () => {
  expect(Object.keys(metrics).sort()).toEqual([
    'collectMetrics',
    'formatMetrics',
    'mergeMetrics',
    'metricsMediaType',
    'processMetrics',
    'serveMetrics',
  ])
})
