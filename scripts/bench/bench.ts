/** Benches that share what must be started for them. */
export interface Suite {
  readonly name: string
  open(context: BenchContext): Promise<OpenSuite | { readonly unavailable: string }>
}

export interface BenchContext {
  /** Short runs: the numbers say little, but that everything still works. */
  readonly quick: boolean
  readonly signal: AbortSignal
}

export interface OpenSuite {
  readonly benches: readonly Bench[]
  close(): Promise<void>
}

/** One thing measured, for this project and for its peers. */
export interface Bench {
  readonly name: string
  /** Unit of the measured numbers, such as `txn/s`. */
  readonly unit: string
  readonly better: 'higher' | 'lower'
  /** Each measures once and gives its number. */
  readonly contestants: { readonly ours: Measure } & Readonly<Record<string, Measure>>
  /** What `ours ÷ peer` is to be at least or, where lower is better, at most. By peer. */
  readonly targets: Readonly<Record<string, number>>
  /** What ours is to be at least or, where lower is better, at most, in `unit`. */
  readonly limit?: number
  /** How often everybody measures, without a first round that does not count. Default 5 after such a one. */
  readonly rounds?: number
}

export type Measure = () => Promise<number>
