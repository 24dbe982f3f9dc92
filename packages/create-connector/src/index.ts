export { createConnectorErrorCodes, createConnectorExitCodes } from './errors.ts'
export { addScaffoldArguments } from './options/scaffold-options.ts'
export type { ScaffoldContext } from './scaffold-context.ts'
export { listenForShutdown } from './shutdown.ts'
