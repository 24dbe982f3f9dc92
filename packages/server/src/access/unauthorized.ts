import { type RefusalCode, RefusedError } from '../errors.ts'

/** RFC 6750, section 3.1. */
export function unauthorized(code: RefusalCode, message: string): RefusedError {
  return new RefusedError(code, message, { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } })
}
