import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair, parseDocument, type YAMLMap } from 'yaml'
import { didYouMean } from '../nearest-name.ts'
import type { Problem, ProblemCode } from '../problem.ts'
import { createPlaces, type FilePlace } from '../source-places.ts'

/** A YAML file, and the problems found in it so far. */
export interface YamlSource {
  readonly file: string
  readonly document: Document.Parsed
  readonly problems: Problem[]
  /** The place of a node; the begin of the file without one. */
  placeOf(node: Node | null | undefined): FilePlace
  /** Adds an error at a node; at the begin of the file without one. */
  report(at: Node | null | undefined, code: ProblemCode, message: string): void
  warn(at: Node | null | undefined, code: ProblemCode, message: string): void
}

/** Parses YAML. What is no YAML becomes problems. */
export function parseYaml(file: string, text: string): YamlSource {
  const placeAt = createPlaces(text)
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: true })
  const problems: Problem[] = document.errors.map(({ pos, message }) => ({
    severity: 'error',
    code: 'manifest_syntax',
    file,
    ...placeAt(pos[0]),
    message: `${message}.`.replace(/\.\.$/, '.'),
  }))
  const placeOf = (node: Node | null | undefined) => ({ file, ...placeAt(node?.range?.[0] ?? 0) })
  const add = (severity: Problem['severity'], at: Node | null | undefined, code: ProblemCode, message: string) => {
    problems.push({ severity, code, ...placeOf(at), message })
  }
  return {
    file,
    document,
    problems,
    placeOf,
    report: (at, code, message) => add('error', at, code, message),
    warn: (at, code, message) => add('warning', at, code, message),
  }
}

/** Warns about the fields of a map that are not known, and names the nearest known one. `x-…` is free. */
export function warnOfUnknown(source: YamlSource, map: YAMLMap, known: readonly string[]): void {
  for (const { key } of map.items as Pair<Node, Node>[]) {
    const name = String(isScalar(key) ? key.value : key)
    if (known.includes(name) || name.startsWith('x-')) continue
    const hint = didYouMean(name, known) || ` Known are ${known.join(', ')}; fields of your own begin with "x-".`
    source.warn(key, 'unknown_field', `There is no field "${name}".${hint}`)
  }
}

/** The value of a field; `undefined` when it is missing or empty. */
export function fieldOf(map: YAMLMap, name: string): Node | undefined {
  const node = map.get(name, true) as Node | undefined
  return node === undefined || (isScalar(node) && node.value === null) ? undefined : node
}

/** A field's text; problems are reported and give `undefined`. */
export function textOf(source: YamlSource, map: YAMLMap, name: string): string | undefined {
  const node = fieldOf(map, name)
  if (!node) return undefined
  if (isScalar(node) && typeof node.value === 'string') return node.value
  source.report(node, 'invalid_field', `"${name}" is ${describe(node)}; it must be a text. Put it in quotes.`)
  return undefined
}

/** A field's text that must have a form. */
export function formedTextOf(
  source: YamlSource,
  map: YAMLMap,
  name: string,
  form: { test(text: string): boolean; readonly words: string },
): string | undefined {
  const node = fieldOf(map, name)
  if (!node) return undefined
  const text = isScalar(node) ? (node.source ?? String(node.value)) : undefined
  if (text !== undefined && form.test(text) && isScalar(node) && typeof node.value === 'string') return text
  source.report(node, 'invalid_field', `"${name}" is ${describe(node)}; it must be ${form.words}.`)
  return undefined
}

/** What a node holds, in words. */
export function describe(node: Node): string {
  if (isMap(node)) return 'a map'
  if (isSeq(node)) return 'a list'
  if (isAlias(node)) return 'an alias'
  if (!isScalar(node)) return 'empty'
  if (typeof node.value === 'string') return JSON.stringify(node.value)
  return `${node.source ?? String(node.value)} (a ${typeof node.value === 'boolean' ? 'truth value' : typeof node.value})`
}
