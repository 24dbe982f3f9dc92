import type { BenchContext, OpenSuite, Suite } from '../bench.ts'
import { openBehindNginx } from './behind-nginx.ts'
import { openFanOut } from './fan-out.ts'
import { openGateway } from './gateway.ts'
import { manySocketsBenches } from './many-sockets.ts'
import { openPages } from './pages.ts'

/** A gateway and its clients, each in its own process. */
export const readingSuite: Suite = { name: 'reading', open }

/** Records before the benches: more than a gateway keeps in memory. */
const history = 60_000

async function open({ quick }: BenchContext): Promise<OpenSuite> {
  const gateway = await openGateway({ history })
  const pages = await openPages(gateway, quick ? 500 : 2000)
  const behindNginx = await openBehindNginx(gateway, quick ? 500 : 2000)
  const fanOut = await openFanOut(gateway, quick)
  return {
    benches: [...pages.benches, ...behindNginx.benches, ...fanOut.benches, ...manySocketsBenches(quick)],
    async close() {
      await pages.close()
      await behindNginx.close()
      await fanOut.close()
      await gateway.close()
    },
  }
}
