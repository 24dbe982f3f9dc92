export { createToken, type TokenOptions } from './create-token.ts'
