import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
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
