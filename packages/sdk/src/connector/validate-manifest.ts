import { loadProject, type Problem } from '@headrace/catalog'

/**
 * Checks a connector's folder: `manifest.yaml`, the .proto files that it names, and whether they fit together. Of the
 * problems, in order of file and place, those with severity `error` keep it from running. None: it is valid.
 */
export async function validateManifest(dir: string): Promise<readonly Problem[]> {
  return (await loadProject(dir)).problems
}
