export const codegenErrorCodes = ['generated_files_failed'] as const
