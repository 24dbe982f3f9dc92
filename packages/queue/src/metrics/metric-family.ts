/** One metric with a function that reads its values. */
export interface MetricFamily {
  readonly name: string
  readonly type: 'counter' | 'gauge'
  /** One sentence, in one line. */
  readonly help: string
  /** Reads the current values. Without values the metric is omitted. */
  samples(): readonly Sample[]
}

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** Metrics with their values, which can be sent to another process. */
export type CollectedMetrics = readonly (Omit<MetricFamily, 'samples'> & { readonly samples: readonly Sample[] })[]

/** The media type of `formatMetrics`. */
export const metricsMediaType = 'text/plain; version=0.0.4; charset=utf-8'

export function collectMetrics(families: readonly MetricFamily[]): CollectedMetrics {
  return families.map(({ name, type, help, samples }) => ({ name, type, help, samples: samples() }))
}

/** Merges the metrics of several processes: one family per name, with all samples. */
export function mergeMetrics(processes: readonly CollectedMetrics[]): CollectedMetrics {
  const merged = new Map<string, CollectedMetrics[number]>()
  for (const family of processes.flat()) {
    const known = merged.get(family.name)
    merged.set(family.name, known ? { ...known, samples: [...known.samples, ...family.samples] } : family)
  }
  return [...merged.values()]
}

/** Formats metrics as Prometheus text, version 0.0.4. */
export function formatMetrics(metrics: CollectedMetrics): string {
  return metrics.map(formatFamily).join('')
}

function formatFamily({ name, type, help, samples }: CollectedMetrics[number]): string {
  const lines = samples.map(({ labels = {}, value }) => `${name}${formatLabels(labels)} ${value}\n`)
  return lines.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeValue(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escapeValue(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
