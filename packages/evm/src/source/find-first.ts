/**
 * The first index from `from` on that passes a test which all after it pass, too; `length` if none does. Steps grow,
 * because most reorganisations are shallow, and the last one is bisected.
 *
 * @param test `undefined` ends the search without a result.
 */
export async function findFirst(
  from: number,
  length: number,
  test: (index: number) => Promise<boolean | undefined>,
): Promise<number | undefined> {
  let low = from
  let high = from
  for (let stride = 1; high < length; stride *= 2) {
    const holds = await test(high)
    if (holds === undefined) return undefined
    if (holds) break
    low = high + 1
    high = Math.min(high + stride, Math.max(length - 1, low))
  }
  while (low < high && high < length) {
    const middle = (low + high) >> 1
    const holds = await test(middle)
    if (holds === undefined) return undefined
    if (holds) high = middle
    else low = middle + 1
  }
  return Math.min(high, length)
}
