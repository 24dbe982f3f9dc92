/** Responses of the gateway. */
export interface RecordJson {
  readonly topic: string
  readonly partition: number
  readonly seq: string
  readonly unit: string
  readonly op: 'append' | 'revert'
  readonly reverts?: string
  readonly value: Readonly<Record<string, unknown>>
  readonly skipped?: number
  readonly cursor: string
}

export interface PageJson {
  readonly topic: string
  readonly data: readonly RecordJson[]
  readonly nextCursor: string
  readonly nextSeqs?: readonly (string | null)[]
  /** In a first page. */
  readonly headCursor: string
  readonly hasMore: boolean
}

export interface ProblemJson {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly requestId: string
  readonly earliest?: string
}

export interface RpcMessage {
  readonly id?: number | string | null
  readonly method?: string
  readonly params?: unknown
  readonly result?: { readonly topics: readonly { readonly topic: string; readonly cursor: string }[] }
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Partial<ProblemJson> }
}

export interface ProgressJson {
  readonly cursors: Readonly<Record<string, string>>
  readonly units: Readonly<Record<string, string>>
  readonly nextSeqs?: Readonly<Record<string, readonly (string | null)[]>>
}

export function seqsOf(records: readonly { readonly seq: string | null }[]): number[] {
  return records.map(({ seq }) => Number(seq))
}

/** The whole numbers from `from` to before `to`, upwards or downwards. */
export function numbers(from: number, to: number): number[] {
  return Array.from({ length: Math.abs(to - from) }, (_, n) => (to > from ? from + n : from - 1 - n))
}
