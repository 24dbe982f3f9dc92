/** Which run may write as a writer id: the one whose claim is the newest. */
export interface Claim {
  /** The run's random name. */
  readonly claim: string
  /** Name of its machine. `undefined` in claims of earlier versions. */
  readonly host?: string | undefined
  /** When it was made, in ms since the Unix epoch. */
  readonly time?: number | undefined
}

/** The form in which both engines store a claim. Earlier versions stored the run's name alone. */
export function encodeClaim({ claim, host, time }: Claim): string {
  return JSON.stringify({ claim, host, time })
}

export function decodeClaim(stored: string): Claim {
  if (!stored.startsWith('{')) return { claim: stored }
  return JSON.parse(stored) as Claim
}
