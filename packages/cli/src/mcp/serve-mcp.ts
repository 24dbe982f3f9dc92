import { revokeKey } from '@headrace/server'
import { createFetchRequest, type GatewayRequest, gatewayTools, serveMcpOverStdio } from '@headrace/server/mcp'
import type { CommandContext } from '../command-context.ts'
import { noteEnvFile, withEnvFile } from '../env-file/with-env-file.ts'
import { openExistingQueue, type QueueOptions } from '../options/queue-options.ts'
import type { SettingsOptions } from '../options/settings-options.ts'
import { startGateway } from '../serving/run-gateway.ts'
import { createRunKey } from '../serving/run-key.ts'
import { createVerifyTool } from './verify-tool.ts'

export interface McpOptions extends QueueOptions, SettingsOptions {
  readonly url?: string
}

/** Standard output has messages of the protocol only. Resolves when the client has closed the input. */
export async function serveMcp(
  dir: string | undefined,
  options: McpOptions,
  baseContext: CommandContext,
): Promise<void> {
  const signal = baseContext.shutdownSignal()
  const { log } = baseContext.startLogging()
  const context = await withEnvFile(dir ?? '.', baseContext)
  noteEnvFile(context, 'HEADRACE_')
  const { streams, warn, environment } = context
  const tools = dir === undefined ? gatewayTools : [...gatewayTools, createVerifyTool(dir, options)]
  const serve = (request: GatewayRequest) =>
    serveMcpOverStdio({ ...streams, tools, request, log: log.child({}, { level: 'warn' }), signal })
  if (options.url === undefined) return serveQueue(options, context, serve)
  const { apiKey: key } = environment
  if (key === undefined) warn('HEADRACE_API_KEY is not set: only topics that need no key can be read.')
  await serve(createFetchRequest({ url: options.url, key, signal }))
}

/** Through a gateway of its own, so that its answers are those of every gateway. */
async function serveQueue(
  options: McpOptions,
  context: CommandContext,
  serve: (request: GatewayRequest) => Promise<void>,
): Promise<void> {
  const signal = context.shutdownSignal()
  const log = context.startLogging().log.child({}, { level: 'warn' })
  await using queue = await openExistingQueue(options, context, { log })
  // Before the gateway starts, which then knows it at once.
  const { id, key } = await createRunKey(queue, 'mcp')
  try {
    const gateway = await startGateway({ queue, log, host: '127.0.0.1', port: 0, environment: 'development' })
    try {
      await serve(createFetchRequest({ url: gateway.url, key, signal }))
    } finally {
      await gateway.close()
    }
  } finally {
    await revokeKey(queue, id)
  }
}
