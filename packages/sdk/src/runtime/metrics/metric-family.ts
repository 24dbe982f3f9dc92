/** One metric: what it counts and how it stands. */
export interface MetricFamily {
  readonly name: string
  readonly type: 'counter' | 'gauge'
  /** One sentence, in one line. */
  readonly help: string
  /** Reads the values of the moment. None: the metric is left out. */
  samples(): readonly Sample[]
}

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** The media type of what `formatMetrics` writes. */
export const metricsMediaType = 'text/plain; version=0.0.4; charset=utf-8'

/** Writes metrics in the text format of Prometheus, version 0.0.4. */
export function formatMetrics(families: readonly MetricFamily[]): string {
  return families.map(formatFamily).join('')
}

function formatFamily({ name, type, help, samples }: MetricFamily): string {
  const lines = samples().map(({ labels = {}, value }) => `${name}${formatLabels(labels)} ${value}\n`)
  return lines.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeValue(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escapeValue(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
