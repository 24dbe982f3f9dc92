import type { Bench } from '../bench.ts'
import { startProgram, type Usage } from '../program.ts'
import { openGateway } from './gateway.ts'

const sockets = 1000

/** Memory of a gateway with many subscribed clients and no records. */
export const idleBench: Bench = {
  name: 'a gateway with 1,000 idle WebSocket clients',
  unit: 'MB',
  better: 'lower',
  contestants: { ours: memoryWithIdleClients },
  targets: {},
  limit: 200,
}

async function memoryWithIdleClients(): Promise<number> {
  const gateway = await openGateway({ history: 0 })
  await using clients = await startProgram('reading/receivers')
  const params = { topics: [gateway.orders.topic] }
  await clients.call('open', {
    url: gateway.url,
    protocol: 'websocket',
    path: `/ws/v1?api_key=${gateway.key}`,
    subscribe: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params }),
    count: sockets,
  })
  const { memory } = await gateway.program.call<Usage>('usage')
  await gateway.close()
  return memory / 1e6
}
