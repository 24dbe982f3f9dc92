import { loadProject, type Problem } from '@headrace/catalog'

/**
 * Checks `manifest.yaml` of a connector's folder and the .proto files that it names. Problems are ordered by file and
 * place. Those with severity `error` prevent a run.
 */
export async function validateManifest(dir: string): Promise<readonly Problem[]> {
  return (await loadProject(dir)).problems
}
