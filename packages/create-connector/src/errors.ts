/** Every code this package throws, beside those of the packages below it. */
export const createConnectorErrorCodes = [] as const
