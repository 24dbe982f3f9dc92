import { readFileSync } from 'node:fs'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { repository } from '../../../../site/source/addresses.ts'
import { readPage } from '../../../../site/source/markdown.ts'
import { missingPrometheus } from '../../../testbed/prometheus/start-prometheus.ts'
import { reportSkipped } from '../../../testbed/skipped-tests.ts'
import { readKnownMetrics, targetLabels } from './known-metrics.ts'
import { parseExpression } from './promql.ts'
import { alertsFolder, incidentFiles, readIncidents, readRules, ruleFiles } from './rule-files.ts'

if (missingPrometheus) reportSkipped('Alert', `there is no ${missingPrometheus}`)
const rules = readRules()
const known = readKnownMetrics()
const alerts = rules.filter(({ alert }) => alert !== undefined)

describe.skipIf(missingPrometheus)('promtool', () => {
  const promtool = (...args: string[]) => execa('promtool', args, { cwd: alertsFolder, reject: false, all: true })

  test('accepts the rules and the example of a configuration', async () => {
    const results = [
      await promtool('check', 'rules', ...ruleFiles),
      await promtool('check', 'config', 'prometheus.yml'),
    ]
    for (const { exitCode, all } of results) expect({ exitCode, all }).toMatchObject({ exitCode: 0 })
  })

  test('finds that each alert fires in its incident with the right text, and not before', async () => {
    const { exitCode, all } = await promtool('test', 'rules', ...incidentFiles)
    expect({ exitCode, all }).toMatchObject({ exitCode: 0 })
  })
})

test('each alert has an incident in which it fires, and a time in it at which it does not', () => {
  const tested = readIncidents().flatMap(({ alert_rule_test }) => alert_rule_test)
  for (const fires of [true, false]) {
    const names = tested.filter(({ exp_alerts = [] }) => exp_alerts.length > 0 === fires).map((each) => each.alertname)
    expect([...new Set(names)].sort()).toEqual(alerts.map(({ alert }) => alert).sort())
  }
})

test.each(rules.map(({ alert, record, expr }) => [alert ?? record, expr] as const))(
  'the expression of %s names metrics and labels that exist',
  (_, expression) => {
    const { errors, metrics, labels } = parseExpression(expression)
    expect(errors).toEqual([])
    expect(metrics).not.toEqual([])
    expect([...known.keys()]).toEqual(expect.arrayContaining([...metrics]))
    const allowed = [...targetLabels, ...metrics.flatMap((name) => known.get(name)!)]
    expect(allowed).toEqual(expect.arrayContaining([...labels]))
  },
)

test('each alert has a severity and links to its part of the runbook, and the runbook has no other', () => {
  const { anchors } = readPage(readFileSync(`${alertsFolder}/README.md`, 'utf8'))
  const page = `${repository}/blob/main/deploy/prometheus/README.md`
  for (const { alert, labels, annotations } of alerts) {
    expect(['critical', 'warning', 'info']).toContain(labels?.severity)
    expect(annotations).toEqual({
      summary: expect.stringMatching(/^[A-Z].*[^.]$/),
      description: expect.stringMatching(/\.$/),
      runbook_url: `${page}#${alert!.toLowerCase()}`,
    })
    expect(anchors).toContain(alert!.toLowerCase())
  }
  const described = [...anchors].filter((anchor) => /^(connector|gateway|sink)[a-z]+$/.test(anchor))
  const groups = ['connectors', 'gateways', 'sinks']
  expect(described.filter((anchor) => !groups.includes(anchor)).sort()).toEqual(
    alerts.map(({ alert }) => alert!.toLowerCase()).sort(),
  )
})
