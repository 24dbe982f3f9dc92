import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePorts } from '../kafka/free-ports.ts'

/** A program of Debian's `prometheus` that is missing here. */
export const missingPrometheus: string | undefined = ['prometheus', 'promtool'].find(
  (program) => spawnSync(program, ['--version']).status !== 0,
)

export interface Prometheus extends AsyncDisposable {
  /** The value of each series at this moment. */
  query(expression: string): Promise<readonly SampledSeries[]>
  alerts(): Promise<readonly Alert[]>
}

export interface SampledSeries {
  readonly metric: Readonly<Record<string, string>>
  readonly value: number
}

export interface Alert {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly state: 'pending' | 'firing'
}

export interface PrometheusOptions {
  /** By the name of the job, `host:port`. They may listen later. */
  readonly targets: Readonly<Record<string, readonly string[]>>
  /** The content of rule files. */
  readonly rules: readonly unknown[]
  /** Of scrapes and of rules, e.g. `250ms`. */
  readonly interval: string
}

export async function startPrometheus({ targets, rules, interval }: PrometheusOptions): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-prometheus-'))
  const [port] = await freePorts(1)
  const files = await Promise.all(rules.map((content, index) => writeYaml(`${folder}/rules-${index}.yml`, content)))
  const scraped = Object.entries(targets).map(([job_name, targets]) => ({ job_name, static_configs: [{ targets }] }))
  const config = await writeYaml(join(folder, 'prometheus.yml'), {
    global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
    rule_files: files,
    scrape_configs: scraped,
  })
  const args = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${folder}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]
  const child = spawn('prometheus', [...args, '--log.level=warn'], { stdio: ['ignore', 'ignore', 'inherit'] })
  const exited = once(child, 'exit')
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)
  const url = `http://127.0.0.1:${port}`
  while ((await fetch(`${url}/-/ready`).catch(() => undefined))?.status !== 200) {
    if (child.exitCode !== null) throw new Error(`Prometheus ended with ${child.exitCode}.`)
    await delay(50)
  }

  async function get<Data>(path: string): Promise<Data> {
    const response = await fetch(`${url}/api/v1/${path}`)
    const { data, error } = (await response.json()) as { readonly data: Data; readonly error?: string }
    if (error !== undefined) throw new Error(`${path}: ${error}`)
    return data
  }

  return {
    async query(expression) {
      type Vector = { readonly result: readonly { metric: Record<string, string>; value: [number, string] }[] }
      const { result } = await get<Vector>(`query?query=${encodeURIComponent(expression)}`)
      return result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }))
    },
    alerts: async () => (await get<{ readonly alerts: readonly Alert[] }>('alerts')).alerts,
    async [Symbol.asyncDispose]() {
      process.off('exit', killAtExit)
      child.kill('SIGKILL')
      await exited
      await rm(folder, { recursive: true })
    },
  }
}

/** JSON is YAML. */
async function writeYaml(file: string, content: unknown): Promise<string> {
  await writeFile(file, JSON.stringify(content))
  return file
}
