import { isMap, isScalar, isSeq, type Node, type YAMLMap } from 'yaml'
import { isVersionSegment } from '../topic-name/topic-name.ts'
import { parseVersion } from '../topic-name/version.ts'
import type { Manifest } from './manifest.ts'
import { checkFieldNames, describe, fieldOf, formedTextOf, textOf, type YamlSource } from './yaml-source.ts'

export type ManifestHead = Omit<Manifest, 'proto' | 'topics' | 'config'>

/** `undefined` if a required field is missing or invalid. */
export function readHead(source: YamlSource, map: YAMLMap): ManifestHead | undefined {
  checkFieldNames(source, map, manifestFields)
  for (const name of ['package', 'owner', 'version'])
    if (!map.has(name))
      source.report(
        map,
        'missing_field',
        `The field "${name}" is missing. Add, for example,  ${name}: ${examples[name]}`,
      )
  const name = formedTextOf(source, map, 'package', nameForm)
  const owner = formedTextOf(source, map, 'owner', nameForm)
  const version = formedTextOf(source, map, 'version', versionForm)
  const topicVersion = formedTextOf(source, map, 'topicVersion', versionForm)
  const id = formedTextOf(source, map, 'id', idForm)
  const run = readRun(source, map)
  const texts = Object.fromEntries(
    stringFields.flatMap((field) => {
      const text = textOf(source, map, field)
      return text === undefined ? [] : [[field, text]]
    }),
  )
  if (name === undefined || owner === undefined || version === undefined) return undefined
  return {
    package: name,
    owner,
    version,
    topicVersion: topicVersion ?? version,
    declaresTopicVersion: topicVersion !== undefined,
    ...(id !== undefined && { id }),
    ...texts,
    ...(run !== undefined && { run }),
  }
}

const stringFields = ['title', 'description', 'author', 'license', 'homepage'] as const
export const manifestFields: readonly string[] = [
  'package',
  'owner',
  'version',
  'topicVersion',
  'id',
  ...stringFields,
  'proto',
  'run',
  'topics',
  'config',
]
const examples: Readonly<Record<string, string>> = { package: 'evm', owner: 'acme', version: '1.0.0' }

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

function readRun(source: YamlSource, map: YAMLMap): Manifest['run'] {
  const node = fieldOf(map, 'run')
  if (!node) return undefined
  if (isMap(node)) return readCommand(source, node)
  if (isText(node)) return node.value
  source.report(
    node,
    'invalid_field',
    `"run" is ${describe(node)}; it must be the path of a module, such as src/connector.ts, or a map with a command, such ` +
      'as  { command: [python3, connector.py] }',
  )
  return undefined
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
  source.report(
    wrong ?? node,
    'invalid_field',
    `"run.command" is ${found}; it must be a list of texts, the program and its arguments. Write, for example,  ${example}`,
  )
  return undefined
}

function isText(node: Node): node is Node & { readonly value: string } {
  return isScalar(node) && typeof node.value === 'string' && node.value !== ''
}

const example = 'command: [python3, connector.py]'
