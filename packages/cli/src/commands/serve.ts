import { once } from 'node:events'
import { UserError } from '@headrace/queue'
import type { GatewayOptions } from '@headrace/server'
import { type Command, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addExample } from '../options/example.ts'
import { integerOption } from '../options/parse-option.ts'
import { addQueueOptions, openQueueOf, type QueueOptions } from '../options/queue-options.ts'
import { jsonLine } from '../output/json-line.ts'

interface ServeOptions extends QueueOptions {
  readonly host: string
  readonly port: number
  readonly environment: NonNullable<GatewayOptions['environment']>
  readonly json?: true
}

export function addServeCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('serve')
    .description('serve the topics of a queue over REST, WebSocket and SSE, until stopped')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 takes a free one', integerOption(0, 65_535), 8080)
    .addOption(
      new Option('--environment <environment>', 'whose keys are taken')
        .choices(['production', 'development'])
        .default('development'),
    )
    .option('--json', 'print the address as a JSON object')
    .action(async (options: ServeOptions) => {
      const signal = context.shutdownSignal()
      const { log } = context.startLogging()
      const queue = await openQueueOf(options, context.environment, log)
      try {
        const { createGateway } = await import('@headrace/server')
        const gateway = await createGateway({ ...options, queue, log }).catch((error: unknown) => {
          throw isListenError(error) ? listenFailed(options, error) : error
        })
        await context.output.write(options.json ? jsonLine({ url: gateway.url }) : `${gateway.url}\n`)
        if (!signal.aborted) await once(signal, 'abort')
        log.info('stopping')
        await gateway.close()
      } finally {
        await queue.close()
      }
    })
  addQueueOptions(command)
  addExample(command, 'connector serve --queue kafka://localhost:9092 --port 8080')
}

function isListenError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && (error as NodeJS.ErrnoException).syscall === 'listen'
}

function listenFailed({ host, port }: ServeOptions, cause: NodeJS.ErrnoException): UserError {
  const reasons: Record<string, string> = {
    EACCES: 'only an administrator may listen there',
    EADDRINUSE: 'another program listens there',
    EADDRNOTAVAIL: 'this machine does not have that address',
  }
  const reason = reasons[cause.code ?? ''] ?? cause.message
  return new UserError(
    'listen_failed',
    `The gateway cannot listen on ${host}, port ${port}: ${reason}. Choose another --host or --port (0: any free one).`,
    { cause },
  )
}
