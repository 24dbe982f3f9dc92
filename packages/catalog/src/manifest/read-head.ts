import { isMap, isScalar, isSeq, type Node, type YAMLMap } from 'yaml'
import { isVersionSegment } from '../topic-name/topic-name.ts'
import { parseVersion } from '../topic-name/version.ts'
import type { Manifest } from './manifest.ts'
import { checkFieldNames, describe, fieldOf, textOf, type YamlSource } from './yaml-source.ts'

export type ManifestHead = Omit<Manifest, 'proto' | 'topics' | 'config'>

export function readHead(source: YamlSource, map: YAMLMap): ManifestHead | undefined {
  checkFieldNames(source, map, manifestFields)
  for (const [name, value] of Object.entries(examples))
    if (!map.has(name))
      source.report(map, 'missing_field', `The field "${name}" is missing. Add, for example,  ${name}: ${value}`)
  const texts: Record<string, string> = {}
  for (const [name, form] of Object.entries(textFields)) {
    const text = textOf(source, map, name, form)
    if (text !== undefined) texts[name] = text
  }
  const run = readRun(source, map)
  const { package: name, owner, version } = texts
  if (name === undefined || owner === undefined || version === undefined) return undefined
  const declaresTopicVersion = texts.topicVersion !== undefined
  return { topicVersion: version, declaresTopicVersion, ...texts, package: name, owner, version, ...(run && { run }) }
}

/** Required fields. */
const examples = { package: 'evm', owner: 'acme', version: '1.0.0' }

// With a ".", two packages could have the same topics.
const nameForm = {
  test: (text: string) => /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(text) && !isVersionSegment(text),
  description:
    'letters A to Z and a to z, digits, "_" and "-", beginning with a letter or digit, and not a version such as 1_0_0',
  nearest: (text: string) =>
    text
      .normalize('NFKD')
      .replaceAll(/\p{Mark}/gu, '')
      .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
      .replaceAll(/^[-_]+|-+$/g, ''),
}
const idForm = {
  test: (text: string) => /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(text),
  description: '1 to 64 letters A to Z and a to z, digits, "_" and "-", beginning with a letter or digit',
}
const versionForm = {
  test: (text: string) => parseVersion(text) !== undefined,
  description: 'a version of three numbers without leading zeros, such as 1.0.0',
}

const textFields = {
  package: nameForm,
  owner: nameForm,
  version: versionForm,
  topicVersion: versionForm,
  id: idForm,
  title: undefined,
  description: undefined,
  author: undefined,
  license: undefined,
  homepage: undefined,
}
export const manifestFields: readonly string[] = [...Object.keys(textFields), 'proto', 'run', 'topics', 'config']

function readRun(source: YamlSource, map: YAMLMap): Manifest['run'] {
  const node = fieldOf(map, 'run')
  if (!node) return undefined
  if (isMap(node)) return readCommand(source, node)
  if (isText(node)) return node.value
  return source.report(
    node,
    'invalid_field',
    `"run" is ${describe(node)}; it must be the path of a module, such as src/connector.ts, or a map with a command, such ` +
      'as  { command: [python3, connector.py] }',
  )
}

function readCommand(source: YamlSource, map: YAMLMap): Manifest['run'] {
  checkFieldNames(source, map, ['command'])
  const node = fieldOf(map, 'command')
  if (!node) {
    if (!map.has('command'))
      source.report(map, 'missing_field', `The field "command" of "run" is missing. Add, for example,  ${example}`)
    return undefined
  }
  const parts = isSeq(node) ? (node.items as Node[]) : []
  const wrong = isSeq(node) ? parts.find((part) => !isText(part)) : node
  if (!wrong && parts.length > 0) return { command: parts.filter(isText).map(({ value }) => value) }
  const found = wrong === node ? describe(node) : wrong ? `a list with ${describe(wrong)}` : 'an empty list'
  return source.report(
    wrong ?? node,
    'invalid_field',
    `"run.command" is ${found}; it must be a list of texts, the program and its arguments. Write, for example,  ${example}`,
  )
}

function isText(node: Node): node is Node & { readonly value: string } {
  return isScalar(node) && typeof node.value === 'string' && node.value !== ''
}

const example = 'command: [python3, connector.py]'
