/** Waits until `needed` promises fulfil with true, or all are settled. Returns whether enough did. */
export async function enoughOf(needed: number, asked: readonly Promise<boolean>[]): Promise<boolean> {
  const enough = Promise.withResolvers<void>()
  let fulfilled = 0
  const counted = asked.map(async (one) => {
    if ((await one) && ++fulfilled === needed) enough.resolve()
  })
  await Promise.race([enough.promise, Promise.allSettled(counted)])
  return fulfilled >= needed
}
