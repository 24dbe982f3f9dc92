/** Bytes of the JSON of a result. It is sent twice: as text, and as structured content. */
export const resultBytes = 32_768
/** For what a result has besides its items: names, a cursor of at most 4,096 characters, notes. */
const frameBytes = 6144
export const itemBytes: number = resultBytes - frameBytes

export interface ShortenLimits {
  /** UTF-16 code units of a text. */
  readonly characters: number
  /** Of a list, or members of an object. */
  readonly elements: number
}

export interface Shortened<Value> {
  readonly value: Value
  readonly isShortened: boolean
}

/** Cuts long texts, lists and objects at any depth, with a mark such as `…[+12 characters]`. */
export function shorten<Value>(value: Value, limits: ShortenLimits): Shortened<Value> {
  let isShortened = false
  return { value: copy(value) as Value, isShortened }

  function copy(part: unknown): unknown {
    if (typeof part === 'string') return cutText(part)
    if (typeof part !== 'object' || part === null) return part
    const entries = Array.isArray(part) ? part : Object.entries(part)
    const left = entries.length - limits.elements
    const kept = left > 0 ? entries.slice(0, limits.elements) : entries
    if (left > 0) isShortened = true
    if (Array.isArray(part)) return [...kept.map(copy), ...(left > 0 ? [`…[+${left} elements]`] : [])]
    const members = (kept as [string, unknown][]).map(([name, member]) => [cutText(name), copy(member)])
    return Object.fromEntries(left > 0 ? [...members, ['…', `[+${left} members]`]] : members)
  }

  function cutText(text: string): string {
    if (text.length <= limits.characters) return text
    isShortened = true
    // Not between the halves of a surrogate pair.
    const isPair = /[\uD800-\uDBFF]/.test(text[limits.characters - 1]!)
    const end = isPair ? limits.characters - 1 : limits.characters
    return `${text.slice(0, end)}…[+${text.length - end} characters]`
  }
}

export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** How many of the items, from the first one on, fit. */
export function countFitting(items: readonly unknown[], bytes: number = itemBytes): number {
  let left = bytes
  for (const [at, item] of items.entries()) {
    left -= jsonBytes(item) + 1
    if (left < 0) return at
  }
  return items.length
}

export interface ResultItems {
  readonly items: readonly object[]
  add(item: object): void
}

/** Keeps the first items that fit in a result, shortened. */
export function resultItems(): ResultItems {
  const items: object[] = []
  let left = itemBytes
  return {
    items,
    add(item) {
      if (left < 0) return
      const { value } = shorten(item, { characters: 1000, elements: 50 })
      left -= jsonBytes(value) + 1
      if (left >= 0) items.push(value)
    },
  }
}
