import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { useProxiedKafka } from '../../../queue/test/faults/proxied-kafka.ts'
import { freePorts } from '../../../testbed/kafka/free-ports.ts'
import { missingPrometheus } from '../../../testbed/prometheus/start-prometheus.ts'
import { reportSkipped } from '../../../testbed/skipped-tests.ts'
import { queriesOf, readDashboards } from '../monitoring/dashboard-files.ts'
import { readRules } from '../monitoring/rule-files.ts'
import * as connectors from './alerts/connector-incidents.ts'
import * as gateways from './alerts/gateway-incidents.ts'
import { createIncidentProject } from './alerts/incident-project.ts'
import { loseKafka } from './alerts/kafka-incidents.ts'
import { instanceOf, startMonitor } from './alerts/monitor.ts'
import { createProcesses } from './alerts/processes.ts'
import { openShopQueue } from './alerts/shop-queue.ts'
import * as sinks from './alerts/sink-incidents.ts'

if (missingPrometheus) reportSkipped('Alert', `there is no ${missingPrometheus}`)

describe.skipIf(missingPrometheus || inject('kafka') === null)('the alerts of deploy/prometheus', () => {
  const kafka = useProxiedKafka({ transactionVersion: 2 })

  test('each fires in an incident of real processes, none for a run without one, and the dashboards show data', async () => {
    await using resources = new AsyncDisposableStack()
    const folder = await mkdtemp(join(tmpdir(), 'headrace-alerts-'))
    resources.defer(() => rm(folder, { recursive: true }))
    const project = resources.use(await createIncidentProject())
    const shop = resources.use(await openShopQueue())
    const connectorPorts = await freePorts(6)
    const gatewayPorts = await freePorts(4)
    const sinkPorts = await freePorts(3)
    const ports = { connector: connectorPorts, gateway: gatewayPorts, sink: sinkPorts }
    const monitor = resources.use(await startMonitor({ ports }))
    const processes = resources.use(createProcesses())
    const parts = { monitor, processes, shop, proxy: kafka.proxy, queue: `embedded:${folder}`, project }

    const [troubled, failing, crashing, former, healthy, endpoints] = connectorPorts as Six
    const [limited, killed, full, onKafka] = gatewayPorts as Six
    const [stalled, refused, restarted] = sinkPorts as Six
    const outcomes = await Promise.allSettled([
      connectors.trouble(parts, troubled),
      connectors.retry(parts, failing),
      connectors.restart(parts, crashing),
      connectors.takeOver(parts, [former, healthy]),
      connectors.failEndpoints(parts, endpoints),
      gateways.exceedLimits(parts, limited),
      gateways.restartGateway(parts, killed),
      gateways.overload(parts, full),
      loseKafka(parts, onKafka),
      sinks.stallSink(parts, stalled),
      sinks.failSink(parts, refused),
      sinks.restartSink(parts, restarted),
    ])
    const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [`${outcome.reason}`] : []))
    expect(failed).toEqual([])
    const fired = await monitor.allFired()
    const names = new Set(fired.map((alert) => alert.split(' ')[0]))
    expect([...names].sort()).toEqual(
      readRules()
        .flatMap(({ alert = [] }) => alert)
        .sort(),
    )
    // It was down before it was started.
    const ofHealthy = fired.filter((alert) => alert.endsWith(instanceOf(healthy)))
    expect(ofHealthy.filter((alert) => !alert.startsWith('ConnectorDown'))).toEqual([])
    await monitor.resolved('ConnectorDown', instanceOf(healthy))

    const empty: string[] = []
    for (const dashboard of readDashboards())
      for (const { panel, expression } of queriesOf(dashboard, '1m')) {
        const found = await monitor.prometheus.query(`last_over_time((${expression})[30m:5s])`)
        if (found.length === 0) empty.push(`${dashboard.title}, ${panel}`)
      }
    // No run of this test is on Kafka.
    expect(empty).toEqual(['Headrace: connectors and sinks, Throttled by Kafka'])
  })
})

type Six = [number, number, number, number, number, number]
