/** An answer over HTTP as it is kept from one run to the next. */
export interface KeptAnswer {
  readonly status: number
  readonly statusText: string
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Of a text, or as bytes; any compression is undone. */
  readonly body: string | Uint8Array
  /** Where it came from in the end, after redirects. */
  readonly url: string
  /** Of a JSON-RPC answer: ids of the calls that it answers, in their order. */
  readonly ids?: readonly unknown[]
}

/** Answers of earlier runs, and where those of this one are kept. */
export interface KeptAnswers {
  /** Gives what is kept under a key, the first time it is asked for in this run. */
  recall(key: string): Promise<KeptAnswer | undefined>
  /** Keeps an answer for the next run. */
  keep(key: string, answer: KeptAnswer): void
}

/** Larger ones are not worth it, in bytes. */
export const largestAnswer: number = 8 << 20
