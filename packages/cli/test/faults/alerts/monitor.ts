import { setTimeout as delay } from 'node:timers/promises'
import { type Prometheus, startPrometheus } from '../../../../testbed/prometheus/start-prometheus.ts'
import { type RuleFile, readRuleFiles } from '../../monitoring/rule-files.ts'
import { startConnector } from '../../whole-path/connector-process.ts'

/** So much shorter are the periods of the rules, on a machine that starts a command in `quickStartMs`. */
const mostTimesFaster = 30
const leastTimesFaster = 4
const quickStartMs = 600

/** A loaded machine needs longer for what an incident takes, such as the starts of a process. */
async function measureSpeed(): Promise<number> {
  const began = performance.now()
  await startConnector(['--version']).ended
  const slower = Math.max(1, (performance.now() - began) / quickStartMs)
  return Math.max(leastTimesFaster, mostTimesFaster / slower)
}

/** A Prometheus with the rules of `deploy/prometheus`, whose periods are shorter, and whose expressions are the same. */
export interface Monitor extends AsyncDisposable {
  readonly prometheus: Prometheus
  /** Resolves when an expression has a result. */
  sees(expression: string): Promise<void>
  /** Resolves when a target has answered. */
  scraped(instance: string): Promise<void>
  /** Resolves when a target has answered that is not the process of the call before. */
  restarted(instance: string): Promise<void>
  /** Resolves when an alert fires, or has fired. Without an instance: for any. */
  fired(alert: string, instance?: string): Promise<void>
  /** Resolves when an alert fires now. A target that has not started yet is down, too. */
  fires(alert: string, instance: string): Promise<void>
  /** Resolves when an alert does not fire any more. */
  resolved(alert: string, instance?: string): Promise<void>
  /** Every alert that has fired so far, as `NAME INSTANCE`. */
  allFired(): Promise<readonly string[]>
}

export interface MonitorOptions {
  /** By the name of the job, ports of 127.0.0.1. */
  readonly ports: Readonly<Record<string, readonly number[]>>
}

/** Of the rules and their data, before they are made faster. */
const scrapeMs = 15_000
/** Longest time for all incidents, before it is made faster. */
const deadlineMs = 3 * 3_600_000

export async function startMonitor({ ports }: MonitorOptions): Promise<Monitor> {
  const timesFaster = await measureSpeed()
  console.log(`A minute of the rules takes ${(60 / timesFaster).toFixed(1)} s.`)
  const signal = AbortSignal.timeout(Math.round(deadlineMs / timesFaster))
  const targets = Object.fromEntries(Object.entries(ports).map(([job, ports]) => [job, ports.map(instanceOf)]))
  const prometheus = await startPrometheus({
    targets,
    rules: readRuleFiles().map((file) => faster(file, timesFaster)),
    interval: `${Math.round(scrapeMs / timesFaster)}ms`,
  })

  async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
    while (!(await isTrue())) {
      if (signal.aborted) throw new Error(`${what} has not happened.`)
      await delay(250)
    }
  }

  const starts = new Map<string, number>()
  const has = async (expression: string) => (await prometheus.query(expression)).length > 0
  const firing = (alert: string, instance?: string) =>
    `ALERTS{alertname="${alert}",alertstate="firing"${instance === undefined ? '' : `,instance="${instance}"`}}`
  return {
    prometheus,
    sees: (expression) => until(expression, () => has(expression)),
    scraped: (instance) => until(`A scrape of ${instance}`, () => has(`up{instance="${instance}"} == 1`)),
    async restarted(instance) {
      await until(`A start of ${instance}`, async () => {
        const found = await prometheus.query(`process_start_time_seconds{instance="${instance}"}`)
        const start = found[0]?.value
        if (start === undefined || start === starts.get(instance)) return false
        starts.set(instance, start)
        return true
      })
    },
    fired: (alert, instance) =>
      until(`${alert} of ${instance}`, () => has(`last_over_time(${firing(alert, instance)}[1h])`)),
    fires: (alert, instance) => until(`${alert} of ${instance}`, () => has(firing(alert, instance))),
    resolved: (alert, instance) =>
      until(`The end of ${alert} of ${instance}`, async () => !(await has(firing(alert, instance)))),
    async allFired() {
      const series = await prometheus.query('last_over_time(ALERTS{alertstate="firing"}[1h])')
      return series.map(({ metric }) => `${metric.alertname} ${metric.instance ?? metric.job ?? ''}`.trim())
    },
    [Symbol.asyncDispose]: () => prometheus[Symbol.asyncDispose](),
  }
}

export function instanceOf(port: number): string {
  return `127.0.0.1:${port}`
}

function faster({ groups }: RuleFile, times: number): RuleFile {
  const shorter = (period: string) => `${Math.round(periodMs(period) / times)}ms`
  return {
    groups: groups.map(({ name, rules }) => ({
      name,
      rules: rules.map((rule) => ({
        ...rule,
        expr: rule.expr.replaceAll(/(?<=\[|offset )\d+[smhd]\b/g, shorter),
        ...(rule.for !== undefined && { for: shorter(rule.for) }),
      })),
    })),
  }
}

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function periodMs(period: string): number {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(period)!
  return Number(count) * unitMs[unit!]!
}
