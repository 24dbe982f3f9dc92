export interface Suite {
  readonly name: string
  open(context: BenchContext): Promise<OpenSuite | { readonly unavailable: string }>
}

export interface BenchContext {
  /** Short runs, which only show that everything works. */
  readonly quick: boolean
  readonly signal: AbortSignal
}

export interface OpenSuite {
  readonly benches: readonly Bench[]
  close(): Promise<void>
}

export interface Bench {
  readonly name: string
  /** Unit of the results, such as `txn/s`. */
  readonly unit: string
  readonly better: 'higher' | 'lower'
  readonly contestants: { readonly ours: Measure } & Readonly<Record<string, Measure>>
  /** Minimum of `ours ÷ peer`, by peer; the maximum if lower is better. */
  readonly targets: Readonly<Record<string, number>>
  /** Minimum of ours in `unit`; the maximum if lower is better. */
  readonly limit?: number
  /** Number of rounds, without a warm-up. Default: 5 after a warm-up. */
  readonly rounds?: number
}

export type Measure = () => Promise<number>
