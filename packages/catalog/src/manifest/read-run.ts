import { isMap, isScalar, isSeq, type Node, type YAMLMap } from 'yaml'
import type { Manifest } from './manifest.ts'
import { checkFieldNames, describe, fieldOf, type YamlSource } from './yaml-source.ts'

/** Reads `run`: the path of a module, or `{ command: […] }`. Mistakes are reported. */
export function readRun(source: YamlSource, map: YAMLMap): Manifest['run'] {
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
  const words = isSeq(node) ? (node.items as Node[]) : []
  const wrong = isSeq(node) ? words.find((word) => !isText(word)) : node
  if (!wrong && words.length > 0) return { command: words.filter(isText).map(({ value }) => value) }
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
