import { useExplorer } from '../../explorer.ts'
import { grouped, short } from '../../format/number.ts'
import { Outdated } from '../../parts/outdated.tsx'
import { EmptyState, Failure, Loading } from '../../parts/states.tsx'
import type { ConnectorState } from '../../service/types.ts'
import { usePolled } from '../../service/use-polled.ts'
import { ConnectorCard } from './connector-card.tsx'

const everyMs = 2000

export function ConnectorsView() {
  const { service } = useExplorer()
  const connectors = usePolled((signal) => service.connectors(signal), { everyMs })
  const states = connectors.value
  if (!states && connectors.error) return <Failure isPage error={connectors.error} retry={connectors.retry} />
  return (
    <div class="page connectors">
      <Outdated {...connectors} />
      <div class="page-head">
        <div>
          <h1>Connectors</h1>
          <p>{states ? summaryOf(states) : 'What writes the topics of this gateway'}</p>
        </div>
      </div>
      {!states ? (
        <Loading />
      ) : states.length === 0 ? (
        <EmptyState title="No connectors yet">
          <p>A connector appears here once it runs with the queue of this gateway, and the key may read its topics.</p>
        </EmptyState>
      ) : (
        <ul class="connector-list">
          {states.map((state) => (
            <li key={nameOf(state)}>
              <ConnectorCard state={state} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function nameOf({ connector, instance }: ConnectorState): string {
  return [connector.owner, connector.package, connector.version, instance].join('\n')
}

function summaryOf(states: readonly ConnectorState[]): string {
  const perSecond = states.reduce((sum, { rate }) => sum + rate.perSecond, 0)
  const count = states.length === 1 ? '1 instance' : `${grouped(states.length)} instances`
  return `${count}, ${short(perSecond)} units/s`
}
