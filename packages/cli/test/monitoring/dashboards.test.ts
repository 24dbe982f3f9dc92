import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { dashboardFiles } from '../../../../scripts/dashboards/dashboards.ts'
import { queriesOf, readDashboards } from './dashboard-files.ts'
import { readKnownMetrics, targetLabels } from './known-metrics.ts'
import { parseExpression } from './promql.ts'

const folder = join(import.meta.dirname, '../../../../deploy/grafana')
const known = readKnownMetrics()

test.each(Object.entries(dashboardFiles))('deploy/grafana/%s is what npm run dashboards writes', (name, text) => {
  expect(readFileSync(join(folder, name), 'utf8')).toBe(text)
})

describe.each(readDashboards())('the dashboard "$title"', (dashboard) => {
  const panels = dashboard.panels.filter(({ type }) => type !== 'row')

  test('has queries of metrics and labels that exist', () => {
    for (const { expression } of queriesOf(dashboard)) {
      const { errors, metrics, labels } = parseExpression(expression)
      expect(errors).toEqual([])
      expect(metrics).not.toEqual([])
      expect([...known.keys()]).toEqual(expect.arrayContaining([...metrics]))
      const allowed = [...targetLabels, ...metrics.flatMap((name) => known.get(name)!)]
      expect(allowed).toEqual(expect.arrayContaining([...labels]))
    }
  })

  test('has panels with a title, a description and queries, of the chosen Prometheus', () => {
    expect(panels.length).toBeGreaterThan(10)
    for (const panel of panels) {
      expect(panel).toMatchObject({
        title: expect.stringMatching(/./),
        description: expect.stringMatching(/\.$/),
        datasource: { uid: `$${'{datasource}'}` },
      })
      expect(panel.targets?.length).toBeGreaterThan(0)
    }
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length)
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
  })

  test('has panels that do not overlap, within 24 columns', () => {
    const cells = new Set<string>()
    for (const { title, gridPos } of dashboard.panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(cells, `${title} at ${x}, ${y}`).not.toContain(`${x},${y}`)
          cells.add(`${x},${y}`)
        }
    }
  })
})
