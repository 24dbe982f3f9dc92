/** One metric with a function that reads its values when the metrics are collected. */
export interface MetricFamily {
  readonly name: string
  readonly type: 'counter' | 'gauge'
  /** One sentence, in one line. */
  readonly help: string
  readonly labels: readonly string[]
  samples(): readonly Sample[]
}

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}
