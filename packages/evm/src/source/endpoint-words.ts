/** What an endpoint says of a subject or, while it does not answer, what it said last. */
export interface Word<T> {
  readonly endpoint: string
  /** `undefined`: it has said nothing of this subject yet. */
  readonly said: T | undefined
  readonly isSilent: boolean
}

/**
 * Remembers what endpoints say. The word of one holds while it does not answer, for `patienceMs` and a few looks of its own
 * silence: a request or two that fail neither take an endpoint's word away nor give that of another more weight.
 */
export interface EndpointWords<T> {
  /**
   * Notes what endpoints answer about a subject, `undefined` for those that do not answer now. One that was there before
   * and is missing, since it refuses this client, is silent too.
   *
   * @returns their words, without those that have been silent about it for too long.
   */
  hold(subject: string, answers: ReadonlyMap<string, T | undefined>): readonly Word<T>[]
  /** Forgets all that was said, when nothing is disputed any more. */
  forget(): void
}

/** How long an answer is waited for, and how long a head may stay where it is, before it counts no longer. */
export const patienceMs = 60_000

/** Looks in a row without an answer, at least, after which an endpoint counts no longer: they may lie far apart. */
const fewLooks = 3

export function createEndpointWords<T>(): EndpointWords<T> {
  const known = new Set<string>()
  const notes = new Map<string, Note<T>>()

  function note(key: string, answer: T | undefined): Note<T> {
    if (answer !== undefined) return keep(key, { said: answer, silentSince: undefined, silentLooks: 0 })
    const { said, silentSince = performance.now(), silentLooks = 0 } = notes.get(key) ?? {}
    return keep(key, { said, silentSince, silentLooks: silentLooks + 1 })
  }

  function keep(key: string, note: Note<T>): Note<T> {
    notes.set(key, note)
    return note
  }

  return {
    hold(subject, answers) {
      for (const endpoint of answers.keys()) known.add(endpoint)
      const words: Word<T>[] = []
      for (const endpoint of known) {
        const noted = note(`${subject} ${endpoint}`, answers.get(endpoint))
        if (!isGone(noted)) words.push({ endpoint, said: noted.said, isSilent: noted.silentSince !== undefined })
        else if (!answers.has(endpoint)) known.delete(endpoint)
      }
      return words
    },
    forget: () => notes.clear(),
  }
}

interface Note<T> {
  readonly said: T | undefined
  readonly silentSince: number | undefined
  readonly silentLooks: number
}

function isGone<T>({ silentSince, silentLooks }: Note<T>): boolean {
  return silentSince !== undefined && performance.now() - silentSince >= patienceMs && silentLooks >= fewLooks
}
