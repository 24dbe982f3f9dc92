import { createFetchRequest, type GatewayRequest, gatewayTools, serveMcpOverStdio } from '@headrace/server/mcp'
import type { CommandContext } from '../command-context.ts'
import { noteEnvFile, withEnvFile } from '../env-file/with-env-file.ts'
import type { QueueOptions } from '../options/queue-options.ts'
import type { SettingsOptions } from '../options/settings-options.ts'
import { withGateway } from '../serving/with-gateway.ts'
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
  if (options.url === undefined)
    return withGateway(options, context, ({ url, key }) => serve(createFetchRequest({ url, key, signal })))
  const { apiKey: key } = environment
  if (key === undefined) warn('HEADRACE_API_KEY is not set: only topics that need no key can be read.')
  await serve(createFetchRequest({ url: options.url, key, signal }))
}
