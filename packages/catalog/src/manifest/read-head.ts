import { isMap, isScalar, isSeq, type YAMLMap } from 'yaml'
import { parseVersion } from '../topic-name/version.ts'
import type { Manifest } from './manifest.ts'
import { describe, fieldOf, formedTextOf, textOf, warnOfUnknown, type YamlSource } from './yaml-source.ts'

/** What a manifest says of the connector itself. */
export type ManifestHead = Omit<Manifest, 'proto' | 'topics' | 'config'>

/** Reads the fields that describe the connector. Mistakes are reported; without the required fields there is nothing. */
export function readHead(source: YamlSource, map: YAMLMap): ManifestHead | undefined {
  warnOfUnknown(source, map, knownFields)
  for (const name of ['package', 'owner', 'version'])
    if (!fieldOf(map, name))
      source.report(
        map,
        'missing_field',
        `The field "${name}" is missing. Add, for example,  ${name}: ${examples[name]}`,
      )
  const name = formedTextOf(source, map, 'package', nameForm)
  const owner = formedTextOf(source, map, 'owner', nameForm)
  const version = formedTextOf(source, map, 'version', versionForm)
  const topicVersion = formedTextOf(source, map, 'topicVersion', versionForm)
  const run = readRun(source, map)
  const texts = Object.fromEntries(
    textFields.flatMap((field) => {
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
    ...texts,
    ...(run !== undefined && { run }),
  }
}

function readRun(source: YamlSource, map: YAMLMap): Manifest['run'] {
  const node = fieldOf(map, 'run')
  if (!node) return undefined
  if (isScalar(node) && typeof node.value === 'string') return node.value
  const command = isMap(node) ? fieldOf(node, 'command') : undefined
  if (isMap(node)) warnOfUnknown(source, node, ['command'])
  const words = isSeq(command) ? command.toJSON() : []
  if (words.length > 0 && words.every((word: unknown) => typeof word === 'string')) return { command: words }
  source.report(
    command ?? node,
    'invalid_field',
    `"run" is ${describe(command ?? node)}; it must be the path of a module, such as src/connector.ts, or hold a command, ` +
      'such as  command: [python3, connector.py]',
  )
  return undefined
}

const textFields = ['title', 'description', 'author', 'license', 'homepage'] as const
const knownFields = ['package', 'owner', 'version', 'topicVersion', ...textFields, 'proto', 'run', 'topics', 'config']
const examples: Readonly<Record<string, string>> = { package: 'evm', owner: 'acme', version: '1.0.0' }

const nameForm = {
  test: (text: string) => /^[a-z][a-z0-9_-]*$/.test(text),
  words: 'lower-case letters, digits, "_" and "-", beginning with a letter',
}
const versionForm = {
  test: (text: string) => parseVersion(text) !== undefined,
  words: 'a version of three numbers without leading zeros, such as 1.0.0',
}
