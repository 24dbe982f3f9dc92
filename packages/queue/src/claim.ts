/** Compacted topic of claims by writer id. Never written in transactions, so an open one does not delay its readers. */
export const ownersTopic = '_headrace.owners'

/** Marks a run that may write with a writer id: the one with the newest claim. */
export interface Claim {
  /** The run's random name. */
  readonly claim: string
  /** Name of its machine. `undefined` in claims of older versions. */
  readonly host?: string | undefined
  /** Time of the claim, in ms since the Unix epoch. */
  readonly time?: number | undefined
}

/** The stored form of a claim, in both engines. Older versions stored only the name of the run. */
export function encodeClaim({ claim, host, time }: Claim): string {
  return JSON.stringify({ claim, host, time })
}

export function decodeClaim(stored: string): Claim {
  if (!stored.startsWith('{')) return { claim: stored }
  return JSON.parse(stored) as Claim
}
