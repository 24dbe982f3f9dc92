import { type Document, isMap, isScalar, isSeq, type Node, type Pair, parseDocument, visit, type YAMLMap } from 'yaml'
import { didYouMean } from '../nearest-name.ts'
import type { Problem, ProblemCode } from '../problem.ts'
import { createPlaces, type FilePlace } from '../source-places.ts'
import { explainYamlMistake } from './yaml-mistake.ts'

export interface YamlSource {
  readonly file: string
  readonly document: Document.Parsed
  readonly problems: Problem[]
  /** The start of the file without a node. */
  placeOf(node: Node | null | undefined): FilePlace
  report(at: Node | null | undefined, code: ProblemCode, message: string): void
  warn(at: Node | null | undefined, code: ProblemCode, message: string): void
}

export function parseYaml(file: string, text: string): YamlSource {
  const placeAt = createPlaces(text)
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: true })
  const problems: Problem[] = []
  const offsetOf = (node: Node | null | undefined) => node?.range?.[0] ?? 0
  const add = (severity: Problem['severity'], offset: number, code: ProblemCode, message: string) => {
    problems.push({ severity, code, file, ...placeAt(offset), message })
  }
  // Later errors may follow from the first one, except duplicate keys.
  const [first, ...others] = [...document.errors, ...document.warnings]
  for (const mistake of [first, ...others.filter(({ code }) => code === 'DUPLICATE_KEY')])
    if (mistake) add('error', mistake.pos[0], 'manifest_syntax', explainYamlMistake(mistake))
  visit(document, {
    Pair: (_, { key }) => {
      if (isMap(key) || isSeq(key))
        add('error', offsetOf(key), 'manifest_syntax', `The name of a field is ${describe(key)}; it must be a string.`)
    },
    Alias: (_, alias) =>
      add(
        'error',
        offsetOf(alias),
        'manifest_syntax',
        `The alias *${alias.source} is not supported. Write the value itself.`,
      ),
  })
  return {
    file,
    document,
    problems,
    placeOf: (node) => ({ file, ...placeAt(offsetOf(node)) }),
    report: (at, code, message) => add('error', offsetOf(at), code, message),
    warn: (at, code, message) => add('warning', offsetOf(at), code, message),
  }
}

/** An unknown name is a warning, a known name without a value an error. Names beginning with `x-` are allowed. */
export function checkFieldNames(source: YamlSource, map: YAMLMap, known: readonly string[]): void {
  for (const { key, value } of map.items as Pair<Node, Node | null>[]) {
    const name = isScalar(key) && typeof key.value === 'string' ? key.value : undefined
    if (name?.startsWith('x-')) continue
    if (name !== undefined && known.includes(name)) {
      if (isEmpty(value))
        source.report(value ?? key, 'invalid_field', `"${name}" has no value. Set one, or remove the line.`)
      continue
    }
    const found = name ?? (isScalar(key) ? String(key.value) : key.toString())
    const hint =
      didYouMean(found, known) || ` Allowed are ${known.join(', ')}, and your own fields beginning with "x-".`
    source.warn(key, 'unknown_field', `The field "${found}" is unknown.${hint}`)
  }
}

export function fieldOf(map: YAMLMap, name: string): Node | undefined {
  const node = map.get(name, true) as Node | undefined
  return isEmpty(node) ? undefined : node
}

export function textOf(source: YamlSource, map: YAMLMap, name: string): string | undefined {
  const node = fieldOf(map, name)
  if (!node) return undefined
  if (isScalar(node) && typeof node.value === 'string') return node.value
  const fix = isScalar(node) ? ' Put it in quotes.' : ''
  source.report(node, 'invalid_field', `"${name}" is ${describe(node)}; it must be a string.${fix}`)
  return undefined
}

export interface TextForm {
  test(text: string): boolean
  /** Follows "must be". */
  readonly description: string
  /** Ignored if the result does not have the form. */
  nearest?(text: string): string
}

export function formedTextOf(source: YamlSource, map: YAMLMap, name: string, form: TextForm): string | undefined {
  const node = fieldOf(map, name)
  if (!node) return undefined
  if (isScalar(node) && typeof node.value === 'string' && form.test(node.value)) return node.value
  const found = describe(node)
  source.report(
    node,
    'invalid_field',
    `"${name}" is ${found}; it must be ${form.description}.${proposal(node, name, form)}`,
  )
  return undefined
}

function proposal(node: Node, name: string, form: TextForm): string {
  if (!isScalar(node)) return ''
  if (typeof node.value !== 'string') return form.test(node.source ?? '') ? ' Put it in quotes.' : ''
  const nearest = form.nearest?.(node.value)
  return nearest !== undefined && form.test(nearest) ? ` Write, for example,  ${name}: ${nearest}` : ''
}

function isEmpty(node: Node | null | undefined): boolean {
  return !node || (isScalar(node) && node.value === null)
}

export function describe(node: Node): string {
  if (isMap(node)) return 'a map'
  if (isSeq(node)) return 'a list'
  if (!isScalar(node) || node.value === null) return 'empty'
  if (typeof node.value === 'string') return JSON.stringify(node.value)
  return `${node.source ?? String(node.value)} (a ${typeof node.value})`
}
