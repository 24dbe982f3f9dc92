export { createConnectorErrorCodes } from './errors.ts'
