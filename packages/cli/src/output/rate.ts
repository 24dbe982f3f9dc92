/** Growth of a count per second, over about the last ten seconds, or another time in ms. */
export function createRate(windowMs = 10_000): (nowMs: number, count: number) => number {
  const samples: { readonly at: number; readonly count: number }[] = []
  return (nowMs, count) => {
    samples.push({ at: nowMs, count })
    while (samples.length > 2 && nowMs - samples[1]!.at >= windowMs) samples.shift()
    const oldest = samples[0]!
    const elapsedMs = nowMs - oldest.at
    return elapsedMs > 0 ? ((count - oldest.count) * 1000) / elapsedMs : 0
  }
}
