import type { YAMLMap } from 'yaml'
import { isVersionSegment } from '../topic-name/topic-name.ts'
import { parseVersion } from '../topic-name/version.ts'
import type { Manifest } from './manifest.ts'
import { readRun } from './read-run.ts'
import { checkFieldNames, formedTextOf, textOf, type YamlSource } from './yaml-source.ts'

/** What a manifest says of the connector itself. */
export type ManifestHead = Omit<Manifest, 'proto' | 'topics' | 'config'>

/** Reads the fields that describe the connector. Mistakes are reported; without the required fields there is nothing. */
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
    ...(id !== undefined && { id }),
    ...texts,
    ...(run !== undefined && { run }),
  }
}

const textFields = ['title', 'description', 'author', 'license', 'homepage'] as const
/** The fields of a manifest. */
export const manifestFields: readonly string[] = [
  'package',
  'owner',
  'version',
  'topicVersion',
  'id',
  ...textFields,
  'proto',
  'run',
  'topics',
  'config',
]
const examples: Readonly<Record<string, string>> = { package: 'evm', owner: 'acme', version: '1.0.0' }

// "." separates the segments of a topic name: with it in a name, two packages could have the same topics.
const nameForm = {
  test: (text: string) => /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(text) && !isVersionSegment(text),
  words:
    'letters A to Z and a to z, digits, "_" and "-", beginning with a letter or digit, and no version such as 1_0_0',
  nearest: (text: string) =>
    text
      .normalize('NFKD')
      .replaceAll(/\p{Mark}/gu, '')
      .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
      .replaceAll(/^[-_]+|-+$/g, ''),
}
const idForm = {
  test: (text: string) => /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(text),
  words: '1 to 64 letters A to Z and a to z, digits, "_" and "-", beginning with a letter or digit',
}
const versionForm = {
  test: (text: string) => parseVersion(text) !== undefined,
  words: 'a version of three numbers without leading zeros, such as 1.0.0',
}
