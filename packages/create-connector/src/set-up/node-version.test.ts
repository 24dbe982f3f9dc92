import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { addNode, bundledNode, machineNode, needsOwnNode, oldestNode } from './node-version.ts'

const readRoot = (file: string) => JSON.parse(readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8'))

test.each([
  ['npm/10.8.2 node/v20.20.2 linux x64 workspaces/false', '20.20.2'],
  ['yarn/4.18.1 npm/? node/v24.21.0 linux x64', '24.21.0'],
  [undefined, process.versions.node],
  ['bun/1', process.versions.node],
])('the Node of the machine is the one that runs %s', (userAgent, node) => {
  expect(machineNode(userAgent)).toBe(node)
})

test.each([
  ['20.20.2', true],
  ['22.21.9', true],
  ['22.22.0', false],
  ['24.0.0', false],
])('under Node %s a project needs Node as a dev dependency: %s', (node, needed) => {
  expect(needsOwnNode(node, 'npm')).toBe(needed)
})

test('a package manager that cannot install Node is refused under an old Node', () => {
  expect(() => needsOwnNode('20.20.2', 'pnpm')).toThrow(expect.objectContaining({ code: 'node_too_old' }))
  expect(needsOwnNode('24.0.0', 'pnpm')).toBe(false)
})

test('Node becomes a dev dependency whose install script npm may run', () => {
  const manifest = { name: 'demo', devDependencies: { typescript: '7.0.2', '@types/node': '24.19.2' } }
  const made = JSON.parse(addNode(JSON.stringify(manifest)))
  expect(made).toMatchObject({ name: 'demo', allowScripts: { node: true } })
  expect(Object.entries(made.devDependencies)).toEqual([
    ['@types/node', '24.19.2'],
    ['node', bundledNode.version],
    ['typescript', '7.0.2'],
  ])
})

test('the versions of Node are those of the repository and of the templates', () => {
  expect(bundledNode.version).toBe(readRoot('package.json').devDependencies.node)
  expect(`>=${oldestNode}`).toBe(readRoot('templates/blank/_package.json').engines.node)
})
