export { codegenErrorCodes } from './errors.ts'
export { generateCode } from './generate-code.ts'
export { applyChanges, compareFolder, type FolderChange, type GeneratedFile } from './generated-folder.ts'
export { generateReaderTypes } from './reader-types.ts'
