/** What went wrong in a test, by kind. A test fails at its end, so that one wrong answer does not hide the others. */
export interface Findings {
  /** Notes a wrong answer: what was asked, what was found and what was expected. */
  note(kind: string, message: string): void
  /** Waits for something and notes that it failed. */
  during<T>(kind: string, what: string, doing: Promise<T>): Promise<T | undefined>
  /** How many there are of each kind. */
  counts(): Readonly<Record<string, number>>
  /** The first ones of each kind. */
  messages(): string[]
}

export function createFindings(): Findings {
  const byKind = new Map<string, string[]>()
  function note(kind: string, message: string): void {
    const messages = byKind.get(kind) ?? []
    messages.push(message)
    byKind.set(kind, messages)
  }
  return {
    note,
    async during(kind, what, doing) {
      try {
        return await doing
      } catch (error) {
        note(kind, `${what} failed: ${error}`)
        return undefined
      }
    },
    counts: () => Object.fromEntries([...byKind].map(([kind, messages]) => [kind, messages.length])),
    messages: () => [...byKind].flatMap(([kind, list]) => list.slice(0, shownOfKind).map((text) => `${kind}: ${text}`)),
  }
}

const shownOfKind = 5
