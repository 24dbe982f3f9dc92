import { UserError } from '@headrace/queue'
import { createGateway, type Gateway, type GatewayOptions } from '@headrace/server'

type ListeningOptions = GatewayOptions & Required<Pick<GatewayOptions, 'host' | 'port'>>

export async function startGateway(options: ListeningOptions): Promise<Gateway> {
  try {
    return await createGateway(options)
  } catch (error) {
    throw isListenError(error) ? listenFailed(options, error) : error
  }
}

function isListenError(error: unknown): error is NodeJS.ErrnoException {
  // In a cluster worker the call is `bind`.
  return error instanceof Error && ['listen', 'bind'].includes((error as NodeJS.ErrnoException).syscall ?? '')
}

function listenFailed({ host, port }: ListeningOptions, cause: NodeJS.ErrnoException): UserError {
  const reasons: Record<string, string> = {
    EACCES: 'only an administrator may use this port',
    EADDRINUSE: 'another program uses this port',
    EADDRNOTAVAIL: 'this machine does not have that address',
  }
  const reason = reasons[cause.code ?? ''] ?? cause.message
  const option = cause.code === 'EADDRNOTAVAIL' ? '--host' : '--port (0: any free one)'
  return new UserError(
    'listen_failed',
    `The gateway cannot listen on ${host}, port ${port}: ${reason}. Choose another ${option}.`,
    { cause },
  )
}
