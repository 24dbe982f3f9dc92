/** Whether a promise settles within a time, in ms. Resolves when it has, or when the time is over. */
export async function settledWithin(promise: Promise<unknown>, timeMs: number): Promise<boolean> {
  const { promise: over, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, timeMs, false)
  const settled = () => true
  try {
    return await Promise.race([promise.then(settled, settled), over])
  } finally {
    clearTimeout(timer)
  }
}
