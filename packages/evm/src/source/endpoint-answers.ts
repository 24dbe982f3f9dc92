/** The newest answer of an endpoint on a subject, which may be from before it stopped answering. */
export interface RememberedAnswer<T> {
  readonly endpoint: string
  /** `undefined`: it has not answered on this subject yet. */
  readonly answer: T | undefined
  readonly isSilent: boolean
}

/**
 * Remembers what endpoints have answered. The answer of an endpoint that falls silent is kept for `patienceMs` and a few
 * requests: one or two failed requests neither remove its vote nor give more weight to the others.
 */
export interface EndpointAnswers<T> {
  /**
   * Adds the current answers on a subject, `undefined` for endpoints that do not answer. An endpoint that is no longer in
   * the map, because it refuses this client, is silent too.
   *
   * @returns the remembered answers, without endpoints that have been silent on this subject for too long.
   */
  update(subject: string, answers: ReadonlyMap<string, T | undefined>): readonly RememberedAnswer<T>[]
  /** Removes all answers, once nothing is in dispute. */
  forget(): void
}

/** How long a silent endpoint's answer is kept, and how long a head may stay the same before its endpoint counts as stopped. */
export const patienceMs = 60_000
/** Minimum of consecutive failed requests before an endpoint is ignored: requests may be far apart. */
const patienceRequests = 3

export function createEndpointAnswers<T>(): EndpointAnswers<T> {
  const known = new Set<string>()
  const notes = new Map<string, Note<T>>()

  function note(key: string, answer: T | undefined): Note<T> {
    const before = notes.get(key)
    const updated =
      answer !== undefined
        ? { answer, silentSince: undefined, failures: 0 }
        : {
            answer: before?.answer,
            silentSince: before?.silentSince ?? performance.now(),
            failures: (before?.failures ?? 0) + 1,
          }
    notes.set(key, updated)
    return updated
  }

  return {
    update(subject, answers) {
      for (const endpoint of answers.keys()) known.add(endpoint)
      const remembered: RememberedAnswer<T>[] = []
      for (const endpoint of known) {
        const noted = note(`${subject} ${endpoint}`, answers.get(endpoint))
        if (!isExpired(noted))
          remembered.push({ endpoint, answer: noted.answer, isSilent: noted.silentSince !== undefined })
        else if (!answers.has(endpoint)) known.delete(endpoint)
      }
      return remembered
    },
    forget: () => notes.clear(),
  }
}

interface Note<T> {
  readonly answer: T | undefined
  readonly silentSince: number | undefined
  readonly failures: number
}

function isExpired<T>({ silentSince, failures }: Note<T>): boolean {
  return silentSince !== undefined && performance.now() - silentSince >= patienceMs && failures >= patienceRequests
}
