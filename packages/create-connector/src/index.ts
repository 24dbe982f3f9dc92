export { createConnectorErrorCodes, createConnectorExitCodes } from './errors.ts'
export { addScaffoldArguments } from './scaffold-command.ts'
export type { ScaffoldContext } from './scaffold-context.ts'
export { listenForShutdown } from './shutdown.ts'
