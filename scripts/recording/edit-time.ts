import type { OutputChunk } from './recorded-output.ts'

/** Lets pauses take no longer than so many milliseconds, and then all of it no longer than so many, by running faster. */
export function editTime(
  chunks: readonly OutputChunk[],
  { pauseMs, atMostMs }: { readonly pauseMs: number; readonly atMostMs: number },
): OutputChunk[] {
  let before = 0
  let now = 0
  const withoutPauses = chunks.map(({ atMs, text }) => {
    now += Math.min(atMs - before, pauseMs)
    before = atMs
    return { atMs: now, text }
  })
  const factor = Math.min(1, atMostMs / now)
  return withoutPauses.map(({ atMs, text }) => ({ atMs: atMs * factor, text }))
}

/** One after the other. */
export function joinChunks(parts: readonly (readonly OutputChunk[])[]): OutputChunk[] {
  let start = 0
  return parts.flatMap((chunks) => {
    const moved = chunks.map(({ atMs, text }) => ({ atMs: start + atMs, text }))
    start = moved.at(-1)?.atMs ?? start
    return moved
  })
}
