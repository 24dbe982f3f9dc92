import { expect, test } from 'vitest'
import { collectMetrics, formatMetrics, type MetricFamily, mergeMetrics } from './metric-family.ts'

function family(name: string, samples: ReturnType<MetricFamily['samples']>): MetricFamily {
  return { name, type: 'gauge', help: `${name}.`, samples: () => samples }
}

test('label values are escaped', () => {
  const collected = collectMetrics([family('a', [{ labels: { text: 'x"\\\n' }, value: 1 }])])
  expect(formatMetrics(collected)).toBe('# HELP a a.\n# TYPE a gauge\na{text="x\\"\\\\\\n"} 1\n')
})

test('a metric without values is omitted', () => {
  expect(formatMetrics(collectMetrics([family('a', []), family('b', [{ value: 2 }])]))).toBe(
    '# HELP b b.\n# TYPE b gauge\nb 2\n',
  )
})

test('metrics of several processes are merged into one family per name', () => {
  const first = collectMetrics([family('a', [{ labels: { of: '1' }, value: 1 }])])
  const second = collectMetrics([
    family('a', [{ labels: { of: '2' }, value: 3 }]),
    family('b', [{ labels: { of: '2' }, value: 4 }]),
  ])
  expect(formatMetrics(mergeMetrics([first, second]))).toBe(
    '# HELP a a.\n# TYPE a gauge\na{of="1"} 1\na{of="2"} 3\n# HELP b b.\n# TYPE b gauge\nb{of="2"} 4\n',
  )
})
