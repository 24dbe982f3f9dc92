import { startKafka } from '../../../packages/testbed/kafka/start-kafka.ts'
import type { BenchContext, OpenSuite, Suite } from '../bench.ts'
import { startProgram } from '../program.ts'
import { openGateway } from '../reading/gateway.ts'
import { brokerBenches } from './broker-cost.ts'
import { gatewayBenches } from './gateway-cost.ts'
import { headBenches } from './head-cost.ts'

/** The constants of `docs/guides/scale.md`, in CPU time and memory. */
export const scaleSuite: Suite = { name: 'scale', open }

async function open({ quick, signal }: BenchContext): Promise<OpenSuite> {
  const opened = new AsyncDisposableStack()
  const gateway = opened.adopt(await openGateway({ history: 0 }), (gateway) => gateway.close())
  const clients = opened.use(await startProgram('reading/receivers'))
  const benches = [...(await gatewayBenches({ gateway, clients, quick })), ...headBenches(undefined, quick)]
  const kafka = await startKafka({ signal, fullSpeed: true })
  if ('unavailable' in kafka) console.log(`scale: without Kafka, ${kafka.unavailable}.`)
  else {
    opened.defer(kafka.stop)
    const queueUrl = `kafka://${kafka.bootstrap}`
    benches.push(...headBenches(queueUrl, quick), ...(await brokerBenches(queueUrl, quick)))
  }
  return { benches, close: () => opened.disposeAsync() }
}
