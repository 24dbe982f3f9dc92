import type { Random } from '../../../testbed/random.ts'

type Mutation = (text: string, random: Random) => string

/** Changes a place of a JSON text, or a member. Most results are JSON, and some are valid answers. */
export function mutateAnswer(text: string, random: Random): string {
  return random.pick(mutations)(text, random) || ' '
}

interface Member {
  /** With its name, without what surrounds it. */
  readonly text: string
  readonly name: string
  readonly value: string
  readonly start: number
}

/** Members whose value is a text, a number, `null` or an empty list. */
function membersOf(text: string): Member[] {
  return [...text.matchAll(/"([A-Za-z0-9]+)":("[^"]*"|null|\[\]|[0-9]+)/g)].map((found) => {
    const [text, name, value] = found as unknown as [string, string, string]
    return { text, name, value, start: found.index }
  })
}

/** Replaces a random member. */
function ofMember(replace: (member: Member, random: Random, members: readonly Member[]) => string): Mutation {
  return (text, random) => {
    const members = membersOf(text)
    if (members.length === 0) return text
    const member = random.pick(members)
    return (
      text.slice(0, member.start) + replace(member, random, members) + text.slice(member.start + member.text.length)
    )
  }
}

const inserted = [' ', '\n', '\t', '"', ',', '}', '\\', '0', 'x', '\u0001', 'é']
const otherValues = ['7', 'true', '{}', '[]', '""', '"0x"', '"0x0"', '"0X1"', '"x"', '[[]]', '-0.5e3', '"0xg"']
const unknownNames = ['z', 'a\\"b', 'a\\u0041', '__proto__', 'hash2']
const unknownValues = [
  ...['{"a":[1,{"b":null}],"hash":"0x"}', '"a\\u00e9"', '[true,false]', '0', '-1.5E+3'],
  // Not JSON.
  ...['[1,]', '{"a"}', '"\\x"', '01', '1.', 'nul', '"a\nb"', '[}', '+1'],
]
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

const mutations: readonly Mutation[] = [
  (text, random) => splice(text, random, 1, String.fromCharCode(32 + random.integer(95))),
  (text, random) => splice(text, random, 1, ''),
  (text, random) => splice(text, random, 0, random.pick(inserted)),
  (text, random) => text.slice(0, random.integer(text.length)),
  ofMember(({ name }) => `"${name}":null`),
  ofMember(({ name }, random) => `"${name}":${random.pick(otherValues)}`),
  ofMember(({ name }, random) => `"${name}":"0x${'f'.repeat(random.integer(80))}"`),
  ofMember(({ name }, random) => `"${name}":"0x${'0'.repeat(random.integer(80))}1"`),
  ofMember(() => '"other":1.5e3'),
  ofMember(({ text }, random) => `${text},"${random.pick(unknownNames)}":${random.pick(unknownValues)}`),
  ofMember(({ text }) => `${text},${text}`),
  ofMember(({ name, value }) => `"${name.slice(0, -1)}${escaped(name.at(-1)!)}":${value}`),
  ofMember(({ text }) => text.toUpperCase()),
  ofMember(({ text }) => text.replace('0x', '0x0')),
  ofMember(({ text }) => text.replace('0x', '0x00')),
  ofMember(({ name, value }) => ` \n"${name}"\t:\r ${value} `),
  ofMember(({ text }) => text.replace(/[0-9a-f]"$/, '"')),
  ofMember(({ text }) => text.replace(/[a-f]/g, (digit) => digit.toUpperCase())),
  ofMember((_, random, members) => random.pick(members).text),
  exchangeNeighbours,
]

/** At a random place. */
function splice(text: string, random: Random, removed: number, added: string): string {
  const at = random.integer(text.length)
  return text.slice(0, at) + added + text.slice(at + removed)
}

function exchangeNeighbours(text: string, random: Random): string {
  const members = membersOf(text)
  const index = random.integer(members.length)
  const [one, other] = members.slice(index, index + 2)
  if (!one || !other || other.start !== one.start + one.text.length + 1) return text
  return `${text.slice(0, one.start)}${other.text},${one.text}${text.slice(other.start + other.text.length)}`
}
