import { createRegistry } from '@headrace/queue/metrics'
import { readReferencePage } from '../../../testbed/reference/reference-page.ts'
import { readRules } from './rule-files.ts'

/**
 * Each metric with its labels: those of the reference page, which other tests compare with the definitions, those of
 * prom-client, of Prometheus itself, and of the recording rules.
 */
export function readKnownMetrics(): ReadonlyMap<string, readonly string[]> {
  const page = readReferencePage('metrics.md')
  const labelsOf = new Map<string, string[]>()
  for (const heading of ['Metrics', 'Gateway metrics', 'Sink metrics', 'Queue metrics'])
    for (const [name, type] of page.rows(heading, 'metric'))
      for (const suffix of type === 'histogram' ? ['_bucket', '_count', '_sum'] : [''])
        labelsOf.set(name + suffix, suffix === '_bucket' ? ['le'] : [])
  for (const heading of ['Labels', 'Gateway labels', 'Sink labels'])
    for (const [label, of] of page.rows(heading, 'label'))
      for (const [name, labels] of labelsOf) {
        const isOfGateway = /^headrace_(gateway|queue)/.test(name)
        const base = name.replace(/_(bucket|count|sum)$/, '')
        if (of === 'all' ? isOfGateway : of!.split(', ').includes(base)) labels.push(label!)
      }
  for (const { name } of createRegistry({ families: [], histograms: [] }).getMetricsAsArray())
    labelsOf.set(name, ['gateway'])
  labelsOf.set('up', [])
  labelsOf.set('ALERTS', ['alertname', 'alertstate', 'severity'])
  for (const { record } of readRules()) if (record !== undefined) labelsOf.set(record, recordedLabels)
  return labelsOf
}

const recordedLabels = ['status', 'route', 'protocol']
/** Of every target. */
export const targetLabels: readonly string[] = ['job', 'instance']
