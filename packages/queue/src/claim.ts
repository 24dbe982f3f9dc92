/** Compacted, by writer id. Never written in transactions: an open one would delay its readers. */
export const ownersTopic = '_headrace.owners'

/** The run with the newest claim of a writer id may write with it. */
export interface Claim {
  /** Random. */
  readonly claim: string
  /** Missing in claims of older versions. */
  readonly host?: string | undefined
  /** In ms since the Unix epoch. */
  readonly time?: number | undefined
}

/** Older versions stored only its name. */
export function encodeClaim({ claim, host, time }: Claim): string {
  return JSON.stringify({ claim, host, time })
}

export function decodeClaim(stored: string): Claim {
  if (!stored.startsWith('{')) return { claim: stored }
  return JSON.parse(stored) as Claim
}
