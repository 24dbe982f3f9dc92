import type { FastifyInstance } from 'fastify'
import { mayRead } from '../access/grant.ts'
import type { ApiContext } from '../api-context.ts'
import { route } from '../rest/app.ts'
import type { Query } from '../rest/query.ts'
import type { RegistryQuery } from './registry-answers.ts'
import { registryEndpoints } from './registry-endpoints.ts'
import { registryType } from './registry-error.ts'
import { visibleSchemas } from './visible-schemas.ts'

/** The schemas of the topics that a caller may read, as a registry of Confluent answers them. */
export function addRegistryRoutes(app: FastifyInstance, { topics }: Pick<ApiContext, 'topics'>): void {
  for (const { endpoint, answer } of registryEndpoints) {
    route(app, endpoint, async (request, reply, grant) => {
      const permitted = topics.list().filter(({ topic }) => mayRead(grant, topic))
      const found = answer({
        visible: visibleSchemas(permitted, topics.earlierSchemas),
        params: request.params as unknown as Readonly<Record<string, string>>,
        query: firstOfEach(request.query),
        body: request.body as Buffer | undefined,
      })
      const text = typeof found === 'string' ? found : JSON.stringify(found)
      return reply.type(registryType).send(Buffer.from(text))
    })
  }
}

function firstOfEach(query: Query): RegistryQuery {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value].flat()[0]]))
}
