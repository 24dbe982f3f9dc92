/** The methods of a pino logger that this package uses. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} }
