import type { Project } from '@headrace/catalog'
import type { GeneratedFile } from './generated-folder.ts'
import { generateProtobufCode } from './protobuf-code.ts'
import { generateSchemaModule } from './schema-module.ts'

/** In order of path. The same project gives the same bytes. */
export async function generateCode(project: Project): Promise<GeneratedFile[]> {
  const { files, names } = await generateProtobufCode(project.schema)
  const schemaModule = await generateSchemaModule(project, names)
  return [...files, schemaModule].sort((left, right) => (left.path < right.path ? -1 : 1))
}
