/** Resolves when N promises are fulfilled with true, or all are settled. Returns whether N were. */
export async function enoughOf(needed: number, asked: readonly Promise<boolean>[]): Promise<boolean> {
  const enough = Promise.withResolvers<void>()
  let fulfilled = 0
  const counted = asked.map(async (one) => {
    if ((await one) && ++fulfilled === needed) enough.resolve()
  })
  await Promise.race([enough.promise, Promise.allSettled(counted)])
  return fulfilled >= needed
}
