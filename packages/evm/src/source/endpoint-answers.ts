export interface RememberedAnswer<T> {
  readonly endpoint: string
  /** `undefined`: none yet. */
  readonly answer: T | undefined
  readonly isSilent: boolean
}

/** Keeps the answers of an endpoint that falls silent for a while, so that single failures change no vote. */
export interface EndpointAnswers<T> {
  /**
   * Adds the current answers on a subject. An endpoint without one, or that is not in the map, is silent.
   * @returns the newest answer of each endpoint, unless it has been silent for too long.
   */
  update(subject: string, answers: ReadonlyMap<string, T | undefined>): readonly RememberedAnswer<T>[]
  clear(): void
}

/** How long a silent endpoint's answer counts, and after which time with the same head an endpoint has stopped. */
export const patienceMs = 60_000
/** Some must have failed as well, because requests may be far apart. */
const patienceRequests = 3

export function createEndpointAnswers<T>(): EndpointAnswers<T> {
  const known = new Set<string>()
  const notes = new Map<string, Note<T>>()

  function note(key: string, answer: T | undefined): Note<T> {
    const before = notes.get(key)
    const silentSince = before?.silentSince ?? performance.now()
    const updated =
      answer === undefined
        ? { answer: before?.answer, silentSince, failures: (before?.failures ?? 0) + 1 }
        : { answer, silentSince: undefined, failures: 0 }
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
    clear: () => notes.clear(),
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
