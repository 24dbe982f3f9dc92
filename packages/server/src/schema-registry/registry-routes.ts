import type { FastifyInstance } from 'fastify'
import { mayRead } from '../access/grant.ts'
import type { ApiContext } from '../api-context.ts'
import { RefusedError } from '../errors.ts'
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
      const find = () => {
        const permitted = topics.registrations().filter(({ topic }) => mayRead(grant, topic))
        return answer({
          visible: visibleSchemas(permitted, topics.earlierSchemas),
          params: request.params as unknown as Readonly<Record<string, string>>,
          query: firstOfEach(request.query),
          body: request.body as Buffer | undefined,
        })
      }
      const found = await findNewest(find, topics.catchUp)
      const text = typeof found === 'string' ? found : JSON.stringify(found)
      return reply.type(registryType).send(Buffer.from(text))
    })
  }
}

/** A reader of Kafka may see a record before this gateway has read the registration of its schema. */
async function findNewest(find: () => unknown, catchUp: () => Promise<boolean>): Promise<unknown> {
  try {
    return find()
  } catch (error) {
    if (!(error instanceof RefusedError && error.code === 'schema_not_found' && (await catchUp()))) throw error
    return find()
  }
}

function firstOfEach(query: Query): RegistryQuery {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value].flat()[0]]))
}
