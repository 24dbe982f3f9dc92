/** Every code that this package throws. */
export const codegenErrorCodes = ['generated_files_failed'] as const
