import { readFile } from 'node:fs/promises'
import { UserError } from '@headrace/queue'
import { type Document, isMap, isScalar, LineCounter, parseDocument, type Scalar, visit } from 'yaml'
import { explainFileMistake } from '../file-mistake.ts'
import { explainYamlMistake } from './yaml-source.ts'

interface FileSetting {
  readonly value: unknown
  /** From 1. */
  readonly line: number
}

export async function readSettingsFile(file: string): Promise<ReadonlyMap<string, FileSetting>> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    throw invalidSettings([`The file "${file}" cannot be read: ${explainFileMistake(cause as Error)}`], { cause })
  }
  const counter = new LineCounter()
  const document = parseDocument(text, { prettyErrors: false, lineCounter: counter })
  const [mistake] = document.errors
  if (mistake) {
    // The parser's message can contain a secret.
    const { line, col } = counter.linePos(mistake.pos[0])
    throw invalidSettings([`${file}:${line}:${col}: ${explainYamlMistake(mistake)}`])
  }
  const map = document.contents
  if (!isMap(map) || !isPlain(document))
    throw invalidSettings([`The file ${file} must be a map of settings without aliases, such as  chain: ethereum`])
  const values = document.toJS() as Readonly<Record<string, unknown>>
  const lines = new Map(
    map.items.map(({ key }) => {
      const { value, range } = key as Scalar
      return [String(value ?? ''), counter.linePos(range?.[0] ?? 0).line]
    }),
  )
  return new Map(Object.entries(values).map(([name, value]) => [name, { value, line: lines.get(name) ?? 1 }]))
}

/** For others the parser's messages would quote values. */
function isPlain(document: Document): boolean {
  let plain = true
  visit(document, {
    Alias() {
      plain = false
    },
    Pair(_, { key }) {
      if (!isScalar(key)) plain = false
    },
  })
  return plain
}

export function invalidSettings(mistakes: readonly string[], options?: ErrorOptions): UserError {
  return new UserError(
    'invalid_settings',
    `The settings are invalid:\n${mistakes.map((one) => `  - ${one}`).join('\n')}`,
    options,
  )
}
