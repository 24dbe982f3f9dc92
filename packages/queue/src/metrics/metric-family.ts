/** One metric with a function that reads its values when the metrics are collected. */
export interface MetricFamily {
  readonly name: string
  readonly type: 'counter' | 'gauge'
  /** One sentence, in one line. */
  readonly help: string
  /** Names of the labels of its samples. */
  readonly labels: readonly string[]
  /** Reads the current values. */
  samples(): readonly Sample[]
}

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}
