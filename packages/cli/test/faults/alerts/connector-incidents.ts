import { startFakeNode } from '../../../../testbed/chain/fake-node.ts'
import { readRecording } from '../../../../testbed/recorded-chain/recording.ts'
import { createReplayedChain } from '../../../../testbed/recorded-chain/replayed-chain.ts'
import type { IncidentProject } from './incident-project.ts'
import { instanceOf, type Monitor } from './monitor.ts'
import type { Processes } from './processes.ts'

export interface ConnectorIncidentOptions {
  readonly monitor: Monitor
  readonly processes: Processes
  readonly queue: string
  /** Its setting `chain` names the incident. */
  readonly project: IncidentProject
}

/** A run that publishes nothing further, whose source continues, after messages that cannot be encoded and a deep revert. */
export async function trouble(options: ConnectorIncidentOptions, port: number): Promise<void> {
  const { monitor, project } = options
  run(options, 'troubled', port)
  await monitor.sees(`headrace_connector_units_total{instance="${instanceOf(port)}"} >= 40`)
  await project.goOn()
  const alerts = ['ConnectorDeadLetters', 'ConnectorDeepReorganisation', 'ConnectorStalled', 'ConnectorFallsBehind']
  await Promise.all(alerts.map((alert) => monitor.fired(alert, instanceOf(port))))
}

/** A source that fails after each unit. */
export async function retry(options: ConnectorIncidentOptions, port: number): Promise<void> {
  run(options, 'failing', port)
  await options.monitor.fired('ConnectorRetries', instanceOf(port))
}

/** A run that is killed, as by a system without memory, and whose supervisor starts it again. */
export async function restart(options: ConnectorIncidentOptions, port: number): Promise<void> {
  const { monitor, processes } = options
  const instance = instanceOf(port)
  const start = () => run(options, 'killed', port)
  await processes.restartUntil(monitor.fired('ConnectorRestarts', instance), start, () => monitor.restarted(instance))
}

/** A second run of an instance, which fences the first one. The first one is down then. */
export async function takeOver(options: ConnectorIncidentOptions, [first, second]: [number, number]): Promise<void> {
  const { monitor } = options
  const former = run(options, 'healthy', first)
  await monitor.scraped(instanceOf(first))
  await monitor.resolved('ConnectorDown', instanceOf(first))
  run(options, 'healthy', second)
  const { code } = await former.ended
  if (code !== 76) throw new Error(`The run that was fenced has ended with ${code}.`)
  await Promise.all([monitor.fired('ConnectorTakenOver'), monitor.fires('ConnectorDown', instanceOf(first))])
}

/** An endpoint gives invalid answers, then none, and then another one gives none either. */
export async function failEndpoints(options: ConnectorIncidentOptions, port: number): Promise<void> {
  const { monitor, processes, queue } = options
  const chain = createReplayedChain({ recorded: await readRecording(), head: 20 })
  await using resources = new AsyncDisposableStack()
  let isWrong = false
  const fault = () => (isWrong ? 'other_number' : undefined)
  const preferred = resources.adopt(await startFakeNode({ chain, fault }), (node) => node.close())
  const other = resources.adopt(await startFakeNode({ chain }), (node) => node.close())
  const growing = setInterval(() => chain.grow(1), 200)
  resources.defer(() => clearInterval(growing))
  const settings = [`rpc=["${preferred.rpc}","${other.rpc}"]`, 'poll=0.1', 'start=0'].flatMap((one) => ['--set', one])
  processes.start(['run', 'examples/evm', '--queue', queue, '--metrics-port', `${port}`, ...settings])
  const instance = instanceOf(port)
  await monitor.sees(`headrace_connector_endpoint_up{instance="${instance}"}`)
  isWrong = true
  await monitor.fired('ConnectorInvalidAnswers', instance)
  isWrong = false
  preferred.fault = () => ({ status: 503 })
  await monitor.fired('ConnectorEndpointBacksOff', instance)
  other.fault = () => ({ status: 503 })
  await monitor.fired('ConnectorHasNoEndpoint', instance)
  for (const node of [preferred, other]) node.fault = () => undefined
  await monitor.resolved('ConnectorHasNoEndpoint', instance)
}

function run({ processes, queue, project }: ConnectorIncidentOptions, incident: string, port: number) {
  return processes.start([
    'run',
    project.dir,
    '--set',
    `chain=${incident}`,
    '--queue',
    queue,
    '--metrics-port',
    `${port}`,
  ])
}
