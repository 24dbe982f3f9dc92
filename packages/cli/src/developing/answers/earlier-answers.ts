import type { EarlierAnswers } from '@headrace/sdk'
import { withIds } from './json-rpc.ts'
import type { KeptAnswers } from './kept-answer.ts'
import { isGood, repeatableRequest } from './repeatable-request.ts'

/** Makes what sources are handed that send their requests themselves. */
export function createEarlierAnswers(answers: KeptAnswers): EarlierAnswers {
  return {
    async answer(request, send) {
      const repeatable = repeatableRequest(request)
      if (!repeatable) return send()
      const { key, ids } = repeatable
      const kept = await answers.recall(key)
      if (kept) {
        const text = typeof kept.body === 'string' ? kept.body : Buffer.from(kept.body).toString()
        const body = ids && kept.ids ? withIds(text, kept.ids, ids) : text
        return { status: kept.status, headers: kept.headers, body }
      }
      const { status, headers, body } = await send()
      const answer = { status, statusText: '', headers: flat(headers), body, url: request.url }
      if (isGood(answer, repeatable)) answers.keep(key, ids ? { ...answer, ids } : answer)
      return { status, headers, body }
    },
  }
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
}
