import { defineTool, type Tool, type ToolContext } from '../tool.ts'
import { choice, count, names, requiredText, text } from '../tool-parameter.ts'
import { readJson, topicPath } from './read-json.ts'
import { boundRecords, cutNote, type PageRecord, recordSchema } from './record-bounds.ts'
import { notesSchema } from './topic-summary.ts'

const topic = requiredText('full name of the topic, from list_topics', 249)
const selection = {
  view: choice('"canonical": only records that are valid now. "log": everything as published, with reverts', [
    'canonical',
    'log',
  ]),
  filter: text(
    'a CEL expression over value, key, time, op and unit, such as: value.Number > 100 && value.From == "0x…". Text: startsWith, endsWith, contains. Also: in, has(), size(), timestamp()',
    2048,
  ),
  fields: names('only these fields of value: answers are smaller', 100),
  max_chars: count('longer texts in a record are cut to this number of characters', {
    least: 16,
    most: 20_000,
    absent: 1000,
  }),
}

export const readRecords: Tool = defineTool({
  name: 'read_records',
  title: 'Read records',
  description:
    'Reads records of a topic in an order, within a range, optionally filtered. While has_more is true, call it again with the same arguments and the cursor of the answer.',
  parameters: {
    topic,
    ...selection,
    order: choice('"desc": newest first. "asc": oldest first', ['desc', 'asc']),
    from: text(
      'where the range begins: earliest, final, a time such as 2026-08-21T10:00:00Z, a time ago such as -10m, last:100, or a cursor',
      4096,
    ),
    to: text('where it ends, exclusive: the same, without last:N, or latest', 4096),
    cursor: text('of the answer before, to continue it. Replaces to with "desc", and from with "asc"', 4096),
    limit: count('how many records', { most: 200, absent: 20 }),
  },
  result: resultSchema('in the requested order'),
  call: readPage,
})

export const newestRecords: Tool = defineTool({
  name: 'newest_records',
  title: 'Newest records',
  description:
    'Reads the newest records of a topic, newest first. For older ones, call read_records with order "desc" and the cursor of the answer.',
  parameters: { topic, ...selection, limit: count('how many records', { most: 200, absent: 5 }) },
  result: resultSchema('newest first'),
  call: (given, context) => readPage({ ...given, order: 'desc' }, context),
})

interface ReadArguments {
  readonly topic: string
  readonly view: string
  readonly order: string
  readonly limit: number
  readonly max_chars: number
  readonly filter?: string | undefined
  readonly fields?: readonly string[] | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly cursor?: string | undefined
}

interface Page {
  readonly data: readonly PageRecord[]
  readonly nextCursor: string
  readonly hasMore: boolean
}

async function readPage(given: ReadArguments, { request }: ToolContext): Promise<Readonly<Record<string, unknown>>> {
  const { topic, view, order, filter, fields, from, to, cursor, max_chars: characters } = given
  const bounds = cursor === undefined ? { from, to } : order === 'asc' ? { cursor, to } : { cursor, from }
  const texts = Object.entries({ view, order, filter, fields: fields?.join(','), ...bounds })
  const query = Object.fromEntries(texts.filter((entry): entry is [string, string] => entry[1] !== undefined))
  for (let limit = given.limit; ; ) {
    const page = await readJson<Page>(request, 'data', topicPath('data', topic), { ...query, limit: `${limit}` })
    const { records, isShortened } = boundRecords(page.data, characters)
    // Only the gateway knows the cursor after a record in this order, so a page that does not fit is read again, shorter.
    if (records.length < Math.min(limit, page.data.length)) {
      limit = records.length
      continue
    }
    const notes = [
      ...(limit < given.limit
        ? [`Only ${limit} of ${given.limit} records fit in one answer. Continue with the cursor.`]
        : []),
      ...(isShortened ? [cutNote] : []),
      ...(page.hasMore && records.length === 0
        ? ['None of the examined records matches yet. Continue with the cursor, or use a narrower range.']
        : []),
    ]
    return { topic, view, order, records, has_more: page.hasMore, cursor: page.nextCursor, notes }
  }
}

function resultSchema(order: string): Tool['result'] {
  const properties = {
    topic: { type: 'string' },
    view: { type: 'string' },
    order: { type: 'string' },
    records: { type: 'array', items: recordSchema, description: order },
    has_more: { type: 'boolean', description: 'whether there are more records in the range' },
    cursor: { type: 'string', description: 'the place after these records, in this order' },
    notes: notesSchema,
  }
  return { type: 'object', properties, required: Object.keys(properties) }
}
