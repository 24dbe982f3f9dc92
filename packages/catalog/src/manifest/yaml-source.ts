import {
  type Document,
  type ErrorCode,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLError,
  type YAMLMap,
} from 'yaml'
import { didYouMean } from '../nearest-name.ts'
import { createPlaces, type FilePlace, type Problem, type ProblemCode } from '../problem.ts'

export interface YamlSource {
  readonly file: string
  readonly document: Document.Parsed
  readonly problems: Problem[]
  /** The start of the file without a node. */
  placeOf(node: Node | null | undefined): FilePlace
  report(at: Node | null | undefined, code: ProblemCode, message: string): undefined
  warn(at: Node | null | undefined, code: ProblemCode, message: string): void
}

export function parseYaml(file: string, text: string): YamlSource {
  const placeAt = createPlaces(text)
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: true })
  const problems: Problem[] = []
  const offsetOf = (node: Node | null | undefined) => node?.range?.[0] ?? 0
  const add = (severity: Problem['severity'], offset: number, code: ProblemCode, message: string): undefined => {
    problems.push({ severity, code, file, ...placeAt(offset), message })
  }
  const reportSyntax = (offset: number, message: string) => add('error', offset, 'manifest_syntax', message)
  // Later errors may follow from the first one, except duplicate keys.
  const [first, ...others] = [...document.errors, ...document.warnings]
  for (const mistake of [first, ...others.filter(({ code }) => code === 'DUPLICATE_KEY')])
    if (mistake) reportSyntax(mistake.pos[0], explainYamlMistake(mistake))
  visit(document, {
    Pair: (_, { key }) => {
      if (isMap(key) || isSeq(key))
        reportSyntax(offsetOf(key), `The name of a field is ${describe(key)}; it must be a string.`)
    },
    Alias: (_, alias) =>
      reportSyntax(offsetOf(alias), `The alias *${alias.source} is not supported. Write the value itself.`),
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

/** An unknown name is a warning, a known name without a value an error. */
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

export interface TextForm {
  test(text: string): boolean
  /** Follows "must be". */
  readonly description: string
  /** Ignored if the result does not have the form. */
  nearest?(text: string): string
}

const anyText: TextForm = { test: () => true, description: 'a string' }

export function textOf(source: YamlSource, map: YAMLMap, name: string, form: TextForm = anyText): string | undefined {
  const node = fieldOf(map, name)
  if (!node) return undefined
  if (isScalar(node) && typeof node.value === 'string' && form.test(node.value)) return node.value
  const message = `"${name}" is ${describe(node)}; it must be ${form.description}.${proposal(node, name, form)}`
  return source.report(node, 'invalid_field', message)
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

/** The message does not quote the file, which may contain secrets. */
export function explainYamlMistake({ code, message }: YAMLError): string {
  const explanation = sentences[code]
  if (explanation !== undefined) return explanation
  if (code === 'BAD_INDENT' || code === 'MISSING_CHAR') {
    const end = /end with a ([\]}])/.exec(message)?.[1] ?? /closing (["'])/.exec(message)?.[1]
    if (end !== undefined) return `A ${end} is missing before this place. Add it at the end of the value.`
    if (code === 'BAD_INDENT')
      return 'This line has another indentation than its neighbours. Use the same indentation for all fields of a map.'
    if (message.includes('map values')) return noColon
  }
  return 'This is not valid YAML. Check the indentation, and put strings with special characters in quotes.'
}

const noColon = 'A field is expected here, but the line has no ":". Write it as  name: value'
const twoOnALine =
  'A ":" is inside a value. Write each field on its own line, with the indentation of the other fields, or put a string ' +
  'that contains ": " in quotes.'

const sentences: Partial<Record<ErrorCode, string>> = {
  BAD_DIRECTIVE: 'A line that begins with "%" is a YAML directive, and this one is unknown. Remove it.',
  BAD_DQ_ESCAPE:
    'A string in double quotes contains an unknown escape. Write "\\\\" for a backslash, or use single quotes.',
  BAD_SCALAR_START: 'A string begins with a character that has a meaning in YAML. Put the string in quotes.',
  BLOCK_AS_IMPLICIT_KEY: twoOnALine,
  BLOCK_IN_FLOW: 'A list or map inside [ ] or { } must be in brackets as well.',
  DUPLICATE_KEY: 'This field exists twice. Remove one of them.',
  MULTILINE_IMPLICIT_KEY: noColon,
  MULTIPLE_DOCS:
    'A second document begins here with "---". A manifest is one document: remove the line and what follows.',
  TAG_RESOLVE_FAILED: 'Tags, which begin with "!", are not supported. Remove it, or put the string in quotes.',
  TAB_AS_INDENT: 'The indentation contains a tab. Use spaces.',
  UNEXPECTED_TOKEN:
    'This is not allowed here. Use the same indentation for all fields of a map, and write nothing after a value.',
}
