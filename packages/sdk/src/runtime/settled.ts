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
