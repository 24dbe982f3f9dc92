import { join } from 'node:path'

export const repository: string = join(import.meta.dirname, '../../..')

/** The built `connector`, which uses the built packages. */
export const connectorCommand: string = join(repository, 'packages/cli/bin/connector.js')
