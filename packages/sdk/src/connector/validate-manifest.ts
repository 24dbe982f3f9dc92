import { loadProject, type Problem } from '@headrace/catalog'

/** Checks `manifest.yaml` in a folder and its .proto files. Problems with severity `error` prevent a run. */
export async function validateManifest(dir: string): Promise<readonly Problem[]> {
  return (await loadProject(dir)).problems
}
