export { contractFiles } from './contract-files.ts'
export { eventNames } from './event-names.ts'
