import { compareVersions, systemTopics, type TopicRegistration, writerIdOf } from '@headrace/catalog'
import type { FastifyInstance } from 'fastify'
import { mayRead } from '../access/grant.ts'
import type { Activity } from '../activity/activity.ts'
import { mostReverts } from '../activity/newest-reverts.ts'
import type { ApiContext } from '../api-context.ts'
import { type Endpoint, json } from '../api-definition/endpoint.ts'
import { checkNames } from '../api-definition/parameter.ts'
import { ref } from '../api-definition/schemas.ts'
import { route } from './app.ts'
import { formatTime, formatUnit } from './format.ts'

export function addConnectorsRoute(app: FastifyInstance, { topics, activity }: ApiContext): void {
  route(app, connectorsEndpoint, async (request, _reply, grant) => {
    checkNames(request.query, connectorsEndpoint.parameters)
    const permitted = topics.registrations().filter(({ topic }) => mayRead(grant, topic))
    await activity.refresh([systemTopics.checkpoints, systemTopics.reorgs])
    const byWriter = [...Map.groupBy(permitted, writerIdOf)].sort(([one], [other]) => (one < other ? -1 : 1))
    return { connectors: byWriter.map(([writerId, written]) => describe(writerId, written, activity)) }
  })
}

function describe(
  writerId: string,
  written: readonly TopicRegistration[],
  activity: Activity,
): Record<string, unknown> {
  const { checkpoint, rate } = activity.ofConnector(writerId)
  const { perSecond, seconds, counts } = rate
  const [newest] = written.toSorted((one, other) => compareVersions(other.connector.version, one.connector.version))
  const { connector, instance } = newest!
  const topics = written.map(({ topic }) => topic)
  const { source, endpoints = [], final } = checkpoint ?? {}
  return {
    ...{ connector, instance, topics },
    unit: formatUnit(checkpoint?.unit),
    position: checkpoint?.position ?? null,
    final: final ? { unit: `${final.unit}` } : null,
    lastCommit: checkpoint ? formatTime(checkpoint.time) : null,
    source: source ? { ...source, lag: Math.max(0, source.head - source.position) } : null,
    endpoints,
    rate: { perSecond, seconds, units: counts },
    reorganisations: reorganisationsOf(topics, activity),
  }
}

function reorganisationsOf(topics: readonly string[], activity: Activity): readonly Record<string, unknown>[] {
  return topics
    .flatMap((topic) => activity.revertsOf(topic))
    .sort((one, other) => other.time - one.time)
    .slice(0, mostReverts)
    .map(({ time, topic, partition, first, last }) => {
      return { time: formatTime(time), topic, partition, first: `${first}`, last: `${last}` }
    })
}

const connectorsEndpoint: Endpoint = {
  path: '/api/v1/connectors',
  id: 'listConnectors',
  summary: 'The connector instances whose topics the key may read',
  access: 'request',
  parameters: {},
  answer: json('The connector instances, in order of owner, package, version and name.', ref('ConnectorList')),
  refusals: ['invalid_parameter'],
}
