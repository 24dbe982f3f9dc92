/** Every code this package throws, beside those of the packages below it. */
export const codegenErrorCodes = ['generated_files_failed'] as const
