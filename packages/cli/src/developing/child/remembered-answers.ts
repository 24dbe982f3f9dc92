import type { KeptAnswer, KeptAnswers } from '../answers/kept-answer.ts'
import type { FromRun } from '../process-messages.ts'

/** Answers that the process which watches keeps: they outlive this one. */
export interface RememberedAnswers extends KeptAnswers {
  /** Takes what was asked for. */
  recalled(request: number, answer: KeptAnswer | undefined): void
}

/** What may wait to be sent, in bytes: answers that come faster than they can be handed over are not kept. */
const mostWaiting = 16 << 20

/**
 * @param known - Keys of what is kept.
 * @param send - Calls back when the message has left.
 */
export function createRememberedAnswers(
  known: readonly string[],
  send: (message: FromRun, sent?: () => void) => void,
): RememberedAnswers {
  const unused = new Set(known)
  const asked = new Map<number, (answer: KeptAnswer | undefined) => void>()
  let requests = 0
  let waiting = 0

  return {
    recall(key) {
      if (!unused.delete(key)) return Promise.resolve(undefined)
      const request = requests++
      send({ type: 'recall', request, key })
      return new Promise((resolve) => asked.set(request, resolve))
    },
    recalled(request, answer) {
      asked.get(request)?.(answer)
      asked.delete(request)
    },
    keep(key, answer) {
      const { length } = answer.body
      if (waiting + length > mostWaiting) return
      waiting += length
      send({ type: 'keep', key, answer }, () => {
        waiting -= length
      })
    },
  }
}
