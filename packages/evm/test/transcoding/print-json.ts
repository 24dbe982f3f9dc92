import type { Random } from '../../../testbed/random.ts'

/**
 * A value as JSON in one of its forms: members in any order, with others among them that nothing reads, names with
 * escapes, and white space.
 *
 * @param others Values of other members.
 */
export function printJson(value: unknown, others: readonly unknown[], random: Random): string {
  const space = (): string => (random.integer(8) === 0 ? random.pick([' ', '\n', '\t', '\r\n', '   ']) : '')
  const padded = (text: string): string => space() + text + space()
  const joined = (parts: readonly string[]): string => (parts.length === 0 ? space() : parts.map(padded).join(','))

  function print(value: unknown): string {
    if (Array.isArray(value)) return `[${joined(value.map(print))}]`
    if (typeof value !== 'object' || value === null) return JSON.stringify(value)
    const members = Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .map(([name, each]) => `${nameOf(name)}${space()}:${space()}${print(each)}`)
    for (const other of others)
      if (random.integer(12) === 0) members.push(`${JSON.stringify(random.pick(otherNames))}:${JSON.stringify(other)}`)
    return `{${joined(random.integer(3) === 0 ? members : shuffled(members))}}`
  }

  function nameOf(name: string): string {
    if (random.integer(40) > 0) return JSON.stringify(name)
    const at = random.integer(name.length)
    const code = name.charCodeAt(at).toString(16).padStart(4, '0')
    return `"${name.slice(0, at)}\\u${code}${name.slice(at + 1)}"`
  }

  function shuffled(items: readonly string[]): string[] {
    return items
      .map((item) => ({ item, at: random.integer(2 ** 30) }))
      .sort((one, other) => one.at - other.at)
      .map(({ item }) => item)
  }

  return padded(print(value))
}

const otherNames = [
  'totalDifficulty',
  'uncles',
  '',
  'a"b\\',
  '__proto__',
  'häsh',
  'hash ',
  'Hash',
  'l1Fee',
  'x'.repeat(300),
]
