/** Failures of a test, by kind. A test fails at its end, so that one wrong answer does not hide the others. */
export interface Findings {
  /** The message has the question, the answer and the expected answer. */
  note(kind: string, message: string): void
  /** Waits, and adds a finding if the promise rejects. */
  during<T>(kind: string, what: string, doing: Promise<T>): Promise<T | undefined>
  counts(): Readonly<Record<string, number>>
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
