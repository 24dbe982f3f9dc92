import { readFileSync } from 'node:fs'
import { createRegistry } from '@headrace/queue/metrics'
import { parser } from '@prometheus-io/lezer-promql'
import { describe, expect, it, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { readReferencePage } from '../../testbed/reference/reference-page.ts'
import { exitCodes } from '../src/exit-code.ts'

const guide = readFileSync(new URL('../../../docs/guides/production.md', import.meta.url), 'utf8')
const benchmarks = readFileSync(new URL('../../../docs/benchmarks.md', import.meta.url), 'utf8')
const blocks = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code]) => code!)
const yaml = blocks('yaml').flatMap((text) =>
  parseAllDocuments(text).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS()
  }),
)

describe('the alerts of docs/guides/production.md', () => {
  const page = readReferencePage('metrics.md')
  const metrics = ['Metrics', 'Gateway metrics'].flatMap((heading) =>
    page.rows(heading, 'metric').map(([name]) => name!),
  )
  const defaults = createRegistry({ families: [], histograms: [] })
    .getMetricsAsArray()
    .map(({ name }) => name)
  const labelRows = ['Labels', 'Gateway labels'].flatMap((heading) => page.rows(heading, 'label'))
  const rules = yaml.flatMap(({ groups }) => groups ?? []).flatMap((group) => group.rules)

  it.each(rules)('are valid PromQL of existing metrics and labels: $alert', ({ expr }) => {
    const { errors, names, labels } = parsePromql(expr)
    expect(errors).toEqual([])
    expect(names).not.toEqual([])
    const bases = names.map((name) => name.replace(/_(bucket|count|sum)$/, ''))
    expect(['up', ...metrics, ...defaults]).toEqual(expect.arrayContaining(bases))
    const known = labelRows
      .filter(([, of]) => of === 'all' || bases.some((name) => of!.includes(name)))
      .map(([label]) => label)
    if (names.some((name) => name.endsWith('_bucket'))) known.push('le')
    expect(['job', 'instance', ...known]).toEqual(expect.arrayContaining(labels))
  })

  it('include every alert that the guide explains', () => {
    const named = guide.match(/^\| `(?:Connector|Gateway).*$/gm)!.flatMap((row) => row.split('|')[1]!.match(/\w+/g)!)
    expect(rules.map(({ alert }) => alert)).toEqual(expect.arrayContaining(named))
  })
})

describe('the restart rules of docs/guides/production.md', () => {
  const useless = [exitCodes.mistake, exitCodes.usage, exitCodes.fenced, exitCodes.revertedFinal]
  it('are those of the Job of Kubernetes', () => {
    const { rules } = yaml.find(({ kind }) => kind === 'Job').spec.podFailurePolicy
    const values = (action: string) =>
      rules.find((rule: { action: string }) => rule.action === action).onExitCodes.values
    expect(values('FailJob')).toEqual(useless)
    expect(values('Ignore')).toEqual([exitCodes.unavailable, exitCodes.refusedForNow])
  })
})

test('docs/guides/production.md gives no figure that docs/benchmarks.md does not', () => {
  const rows = guide
    .match(/^\| what \| figure \|.*?\n\n/ms)![0]
    .trim()
    .split('\n')
    .slice(2)
  for (const row of rows) expect(benchmarks).toContain(row.split('|')[2]!.trim())
  expect(rows.length).toBeGreaterThan(5)
})

function parsePromql(expression: string): { errors: string[]; names: string[]; labels: string[] } {
  const found = { errors: [] as string[], names: [] as string[], labels: [] as string[] }
  parser.parse(expression).iterate({
    enter(node) {
      const text = expression.slice(node.from, node.to)
      if (node.type.isError) found.errors.push(`at ${node.from} of ${expression}`)
      if (node.name === 'Identifier' && node.node.parent?.name === 'VectorSelector') found.names.push(text)
      if (node.name === 'LabelName') found.labels.push(text)
    },
  })
  return found
}
