import type { FileSchema, JsonSchema } from '@headrace/catalog'
import type { Answer, Endpoint } from '../api-definition/endpoint.ts'
import type { ParameterDefinition } from '../api-definition/parameter.ts'
import { object, ref } from '../api-definition/schemas.ts'
import type { RefusalCode } from '../errors.ts'
import { findWritten } from './find-written.ts'
import {
  findByGuid,
  findById,
  findSubject,
  findVersion,
  pageOf,
  type RegistryQuery,
  schemaAnswer,
  schemaText,
  subjectVersionAnswer,
} from './registry-answers.ts'
import { notConfigured, registryPath, registryType } from './registry-error.ts'
import { type VisibleSchemas, versionsWith } from './visible-schemas.ts'

export interface RegistryRequest {
  readonly visible: VisibleSchemas
  /** Those of the path. */
  readonly params: Readonly<Record<string, string>>
  readonly query: RegistryQuery
  readonly body: Uint8Array | undefined
}

export interface RegistryEndpoint {
  readonly endpoint: Endpoint
  /** A string is sent as it is, and other values as JSON. */
  answer(request: RegistryRequest): unknown
}

const parameters = {
  format: parameter('`serialized`: a `FileDescriptorProto` in base64 instead of the text'),
  subject: parameter('of several subjects with this schema, the one to name'),
  fetchMaxId: parameter('`true`: adds `maxId`, the greatest id'),
  subjectPrefix: parameter('how the subjects begin'),
  latestOnly: parameter('`true`: only the newest version of each subject'),
  offset: parameter('how many of the list to skip; below 0, none', { type: 'integer', default: 0 }),
  limit: parameter('how many of the list to answer; negative: all', { type: 'integer', default: -1 }),
  defaultToGlobal: parameter('`true`: the answer for all subjects instead of 404'),
}
const { format, subject, fetchMaxId, subjectPrefix, latestOnly, offset, limit, defaultToGlobal } = parameters

function parameter(description: string, schema: JsonSchema = { type: 'string' }): ParameterDefinition {
  return { description, schema }
}

const schema = ref('RegistrySchema')
const strings: JsonSchema = { type: 'array', items: { type: 'string' } }
const integers: JsonSchema = { type: 'array', items: { type: 'integer' } }
const compatibility = object({ compatibilityLevel: { type: 'string' } })
const mode = object({ mode: { type: 'string' } })

/** The part of Confluent's API that reads, version 8. */
export const registryEndpoints: readonly RegistryEndpoint[] = [
  define('/', 'getRegistry', 'An empty object', { type: 'object' }, {}, () => ({})),
  define('/schemas/types', 'listSchemaTypes', 'The types of schemas: `PROTOBUF`', strings, {}, () => ['PROTOBUF']),
  define('/contexts', 'listContexts', 'The contexts: the default one', strings, {}, () => ['.']),
  define(
    '/schemas',
    'listSchemas',
    'All versions of all subjects',
    { type: 'array', items: schema },
    { subjectPrefix, latestOnly, offset, limit },
    ({ visible, query }) => {
      const named = subjectsWith(visible, query).flatMap((name) =>
        findSubject(visible, name).flatMap((one, index, { length }) =>
          one && (query.latestOnly !== 'true' || index === length - 1)
            ? [subjectVersionAnswer(one, { subject: name, version: index + 1 })]
            : [],
        ),
      )
      return pageOf(named, query)
    },
  ),
  define(
    '/schemas/ids/{id}',
    'getSchemaById',
    'A schema by its id',
    schema,
    { subject, format, fetchMaxId },
    ({ visible, params, query }) => schemaAnswer(visible, findById(visible, params.id!, query.subject), query),
  ),
  define(
    '/schemas/ids/{id}/schema',
    'getSchemaTextById',
    'The text of a schema by its id',
    { type: 'string' },
    { subject, format },
    ({ visible, params, query }) => schemaText(findById(visible, params.id!, query.subject), query.format),
  ),
  define(
    '/schemas/ids/{id}/subjects',
    'listSubjectsOfId',
    'The subjects that have a schema',
    strings,
    { subject, offset, limit },
    (request) => placesOfId(request).map((place) => place.subject),
  ),
  define(
    '/schemas/ids/{id}/versions',
    'listVersionsOfId',
    'The subjects and versions that have a schema',
    { type: 'array', items: object({ subject: { type: 'string' }, version: { type: 'integer' } }) },
    { subject, offset, limit },
    placesOfId,
  ),
  define(
    '/schemas/guids/{guid}',
    'getSchemaByGuid',
    'A schema by its GUID, which the header `__value_schema_id` of a record on Kafka contains',
    schema,
    { format },
    ({ visible, params, query }) => schemaAnswer(visible, findByGuid(visible, params.guid!), query),
  ),
  define(
    '/schemas/guids/{guid}/ids',
    'listIdsOfGuid',
    'The ids of a schema by its GUID',
    { type: 'array', items: object({ context: { type: 'string' }, id: { type: 'integer' } }) },
    {},
    ({ visible, params }) => [{ context: '.', id: findByGuid(visible, params.guid!).id }],
  ),
  define(
    '/subjects',
    'listSubjects',
    'The subjects: `<topic>-value` for each topic, and one for each content of an imported file',
    strings,
    { subjectPrefix, offset, limit },
    ({ visible, query }) => pageOf(subjectsWith(visible, query), query),
  ),
  define(
    '/subjects/{subject}/versions',
    'listVersions',
    'The versions of a subject',
    integers,
    { offset, limit },
    ({ visible, params, query }) => {
      const versions = findSubject(visible, params.subject!)
      return pageOf(
        versions.flatMap((one, index) => (one ? [index + 1] : [])),
        query,
      )
    },
  ),
  define(
    '/subjects/{subject}/versions/{version}',
    'getSchemaByVersion',
    'A version of a subject, a number or `latest`',
    schema,
    { format },
    ({ visible, params, query }) =>
      subjectVersionAnswer(...findVersion(visible, params.subject!, params.version!), query.format),
  ),
  define(
    '/subjects/{subject}/versions/{version}/schema',
    'getSchemaTextByVersion',
    'The text of a version of a subject',
    { type: 'string' },
    { format },
    ({ visible, params, query }) => schemaText(findVersion(visible, params.subject!, params.version!)[0], query.format),
  ),
  define(
    '/subjects/{subject}/versions/{version}/referencedby',
    'listReferencing',
    'The ids of the schemas that import a version of a subject',
    integers,
    { offset, limit },
    ({ visible, params, query }) => {
      const [{ guid }] = findVersion(visible, params.subject!, params.version!)
      const imports = ({ imports }: FileSchema) => imports.some((imported) => imported.guid === guid)
      return pageOf(
        [...visible.byGuid.values()].filter(imports).map(({ id }) => id),
        query,
      )
    },
  ),
  {
    ...define(
      '/subjects/{subject}',
      'findSchema',
      'Whether a subject has a schema, and as which version',
      schema,
      { format },
      ({ visible, params, query, body }) => {
        const versions = findSubject(visible, params.subject!)
        return subjectVersionAnswer(...findWritten(versions, params.subject!, body), query.format)
      },
      {
        method: 'POST',
        body: object(
          { schema: { type: 'string' }, schemaType: { const: 'PROTOBUF' }, references: { type: 'array' } },
          { optional: ['references'] },
        ),
      },
    ),
  },
  define('/config', 'getCompatibility', 'Which changes of a schema are allowed', compatibility, {}, () => full),
  define(
    '/config/{subject}',
    'getCompatibilityOf',
    'The same for a subject, which has none of its own',
    compatibility,
    { defaultToGlobal },
    (request) => ofSubject(request, 'compatibility', full),
  ),
  define('/mode', 'getMode', 'The mode: `READONLY`', mode, {}, () => readOnly),
  define(
    '/mode/{subject}',
    'getModeOf',
    'The same for a subject, which has none of its own',
    mode,
    { defaultToGlobal },
    (request) => ofSubject(request, 'mode', readOnly),
  ),
]

/** Both older and newer code can read each record. */
const full = { compatibilityLevel: 'FULL_TRANSITIVE' }
const readOnly = { mode: 'READONLY' }

function define(
  path: string,
  id: string,
  summary: string,
  answer: JsonSchema,
  parameters: Endpoint['parameters'],
  give: RegistryEndpoint['answer'],
  method: Pick<Endpoint, 'method' | 'body'> = {},
): RegistryEndpoint {
  const answered: Answer = { description: summary, content: { [registryType]: answer } }
  const refusals: RefusalCode[] = [
    ...(path.includes('{') ? (['schema_not_found'] as const) : []),
    ...(path.includes('{') || 'offset' in parameters ? (['invalid_schema_request'] as const) : []),
  ]
  const endpoint: Endpoint = {
    ...{ path: `${registryPath}${path}`, id, summary, access: 'registry', parameters, answer: answered, refusals },
    ...method,
  }
  return { endpoint, answer: give }
}

/** `:*:` is every context. */
function subjectsWith({ subjects }: VisibleSchemas, { subjectPrefix = '' }: RegistryQuery): string[] {
  const prefix = subjectPrefix.replace(/^:[*.]?:/, '')
  return [...subjects.keys()].filter((name) => name.startsWith(prefix))
}

function placesOfId({ visible, params, query }: RegistryRequest) {
  const places = versionsWith(visible, findById(visible, params.id!, query.subject))
  return pageOf(
    places.filter((place) => query.subject === undefined || place.subject === query.subject),
    query,
  )
}

function ofSubject({ params, query }: RegistryRequest, what: 'compatibility' | 'mode', everywhere: object): object {
  if (query.defaultToGlobal !== 'true') throw notConfigured(params.subject!, what)
  return everywhere
}
