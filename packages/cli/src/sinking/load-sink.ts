import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { UserError } from '@headrace/queue'
import type { SinkDefinition } from '@headrace/sink'
import type { Environment } from '../environment.ts'
import type { SinkOptions } from '../options/sink-options.ts'

/**
 * Only the packages of the destination are loaded.
 *
 * @throws {UserError} `invalid_destination`
 */
export async function loadSink(
  destination: string,
  options: SinkOptions,
  { webhookSecret }: Pick<Environment, 'webhookSecret'>,
): Promise<SinkDefinition> {
  const tables = Object.fromEntries(options.topic.flatMap(({ topic, table }) => (table ? [[topic, table]] : [])))
  if (/^postgres(ql)?:/.test(destination)) {
    const { postgresSink } = await import('@headrace/sink/postgres')
    const { schema, primaryKey, onBadValue } = options
    return postgresSink({ url: destination, tables, schema, primaryKey, onBadValue })
  }
  if (destination.startsWith('parquet:')) {
    const { parquetSink } = await import('@headrace/sink/parquet')
    const { maxRows, maxAge: maxAgeMs } = options
    return parquetSink({ folder: destination.slice('parquet:'.length), folders: tables, maxRows, maxAgeMs })
  }
  if (destination.startsWith('webhook:')) {
    const { webhookSink } = await import('@headrace/sink/webhook')
    const { state, batch } = options
    if (webhookSecret === undefined)
      throw new UserError(
        'invalid_webhook_secret',
        'HEADRACE_WEBHOOK_SECRET is not set. Requests are signed with it, so that their receiver can verify them. To make ' +
          'one: echo "whsec_$(openssl rand -base64 32)".',
      )
    return webhookSink({
      ...{ url: destination.slice('webhook:'.length), secret: webhookSecret },
      ...(state !== undefined && { state }),
      ...(batch !== undefined && { batch }),
    })
  }
  if (/^\.{0,2}\/.*\.[cm]?[jt]s$/.test(destination)) return loadModule(destination)
  throw new UserError(
    'invalid_destination',
    `"${destination}" is not a destination. It must be postgres://USER@HOST/DATABASE, parquet:FOLDER, ` +
      'webhook:https://HOST/PATH, or the path of a module with a sink, such as ./sink.ts.',
  )
}

async function loadModule(path: string): Promise<SinkDefinition> {
  const { default: sink } = await import(pathToFileURL(resolve(path)).href).catch((cause: Error) => {
    throw new UserError('invalid_destination', `The module ${path} cannot be loaded: ${cause.message}`, { cause })
  })
  if (typeof sink?.open === 'function') return sink
  throw new UserError('invalid_destination', `The module ${path} must export a sink as default: defineSink({ … }).`)
}
