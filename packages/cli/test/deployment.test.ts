import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { execa } from 'execa'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readReferencePage } from '../../testbed/reference/reference-page.ts'
import { exitCodes } from '../src/exit-code.ts'
import { parseCommand } from './parse-command.ts'

const root = join(import.meta.dirname, '../../..')
const deploy = join(root, 'deploy')
const read = (file: string): string => readFileSync(join(deploy, file), 'utf8')
const useless = [exitCodes.mistake, exitCodes.usage, exitCodes.fenced, exitCodes.revertedFinal]

describe('the image', () => {
  it('has the Node that the repository pins', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(/^ARG NODE_VERSION=(.*)$/m.exec(read('docker/Dockerfile'))?.[1]).toBe(devDependencies.node)
  })

  describe('has a script for Docker that', () => {
    const folder = mkdtempSync(join(tmpdir(), 'headrace-deployment-'))
    const connector = join(folder, 'connector')
    const start = (program: string, ...args: readonly string[]) => {
      writeFileSync(connector, `#!${process.execPath}\n${program}`)
      chmodSync(connector, 0o755)
      const env = { ...process.env, PATH: [folder, process.env.PATH].join(delimiter) }
      return spawn('sh', [join(deploy, 'docker/run.sh'), ...args], { env, stdio: ['ignore', 'pipe', 'ignore'] })
    }
    afterAll(() => rmSync(folder, { recursive: true }))

    it.each(Object.values(exitCodes))(
      'ends with 0 if a restart is useless, else with the exit code: %i',
      async (code) => {
        const [ended] = await once(start('process.exit(Number(process.argv[2]))', String(code)), 'exit')
        expect(ended).toBe(useless.includes(code as never) ? 0 : code)
      },
    )

    it('forwards SIGTERM, and waits for the end', async () => {
      const program = "process.on('SIGTERM', () => setTimeout(() => { console.log('stopped'); process.exit(0) }, 300))"
      const child = start(`${program}; console.log('started'); setInterval(() => {}, 1000)`)
      let output = ''
      child.stdout.on('data', (data) => {
        if (output === '') child.kill('SIGTERM')
        output += data
      })
      expect(await once(child, 'close')).toEqual([0, null])
      expect(output).toBe('started\nstopped\n')
    })
  })

  it('is healthy if the URL answers with success', async () => {
    const server = createServer((request, response) => response.writeHead(request.url === '/health' ? 200 : 503).end())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const check = async (path: string) =>
      (await execa(process.execPath, [join(deploy, 'docker/health.js'), url + path], { reject: false })).exitCode
    expect([await check('/health'), await check('/other')]).toEqual([0, 1])
    await once(server.close(), 'close')
    expect(await check('/health')).toBe(1)
  })
})

interface Service {
  readonly image: string
  readonly entrypoint?: readonly string[]
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly volumes?: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
}

interface Job {
  readonly static_configs: readonly { readonly targets: readonly string[] }[]
}

describe('deploy/compose/compose.yaml', () => {
  const { services } = parse(read('compose/compose.yaml'), { merge: true }) as { services: Record<string, Service> }
  const own = Object.entries(services).filter(([, { image }]) => image.startsWith('headrace'))

  it.each(own)('has a valid command line of %s', async (name, { command = [], environment = {} }) => {
    const args = command.map((word) => word.replaceAll(/\$\{\w+:-(\w+)\}/g, '$1'))
    const { options } = await parseCommand(args, environment)
    expect(options).toMatchObject({ metricsHost: '0.0.0.0', queue: 'kafka://kafka:9092' })
    const health = services[name]!.healthcheck?.test.at(-1)
    if (health !== undefined) expect(health).toBe(`http://127.0.0.1:${options.metricsPort}/health`)
  })

  it('starts what is restarted after a failure with the script of the image', () => {
    const restarted = own.filter(([, service]) => 'restart' in service && service.restart === 'on-failure')
    expect(restarted.map(([name]) => name)).toEqual(['connector', 'sink'])
    for (const [, { entrypoint }] of restarted) expect(entrypoint).toEqual(['tini', '--', 'sh', '/headrace/run.sh'])
  })

  it('has the processes that Prometheus scrapes, at the ports of their metrics', () => {
    const { scrape_configs: jobs } = parse(read('prometheus/prometheus.yml')) as { scrape_configs: Job[] }
    const targets = jobs.flatMap((job) => job.static_configs.flatMap((config) => config.targets))
    const ports = own.map(([name, { command = [] }]) => `${name}:${command[command.indexOf('--metrics-port') + 1]}`)
    expect(targets.sort()).toEqual(ports.sort())
  })

  it('mounts files of this repository that exist', () => {
    const mounted = Object.values(services)
      .flatMap(({ volumes = [] }) => volumes)
      .map((volume) => volume.split(':')[0]!)
      .filter((source) => source.startsWith('.'))
    expect(mounted.length).toBeGreaterThan(3)
    for (const source of mounted) expect([source, existsSync(join(deploy, 'compose', source))]).toEqual([source, true])
  })
})

describe('the units of systemd', () => {
  const units = globSync('systemd/*.service', { cwd: deploy })
  const value = (unit: string, key: string): string => new RegExp(`^${key}=(.*)$`, 'm').exec(read(unit))?.[1] ?? ''
  const codes = (unit: string, key: string): number[] => value(unit, key).split(' ').map(Number)

  it.each(units)('%s has a valid command line', async (unit) => {
    const variables = Object.fromEntries(
      value(unit, 'Environment')
        .split(' ')
        .map((pair) => pair.split('=')),
    )
    const [node, file, ...args] = value(unit, 'ExecStart')
      .replaceAll(/\$\{(\w+)\}/g, (_, name) => variables[name])
      .split(' ')
      .filter((word) => word !== '$OPTIONS')
    expect([node, file]).toEqual(['/usr/bin/node', 'node_modules/@headrace/cli/bin/connector.js'])
    const { options } = await parseCommand(args, variables)
    expect(options).toMatchObject({ queue: 'embedded:/var/lib/headrace', metricsPort: expect.any(Number) })
  })

  it.each(units)('%s restarts after the exit codes after which a restart helps', (unit) => {
    expect(codes(unit, 'RestartPreventExitStatus')).toEqual(useless)
    const failures = Object.values(exitCodes).filter((code) => code !== 0)
    expect([...useless, ...codes(unit, 'RestartForceExitStatus')].sort()).toEqual([...failures].sort())
  })
})

describe('docs/reference/cli.md', () => {
  it('says of the same exit codes that a restart does not help', () => {
    const rows = readReferencePage('cli.md').rows('Exit codes', 'code')
    const not = rows.filter(([code, , restart]) => restart === 'no' && code !== '0').map(([code]) => Number(code))
    expect(not).toEqual(useless)
  })
})

describe('deploy/helm/headrace', () => {
  it('has the version of the packages', () => {
    const { version } = JSON.parse(readFileSync(join(dirname(deploy), 'packages/cli/package.json'), 'utf8'))
    expect(parse(read('helm/headrace/Chart.yaml'))).toMatchObject({ version, appVersion: version })
  })
})
