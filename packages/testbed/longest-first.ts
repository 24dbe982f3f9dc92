import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Begins with the templates: they take minutes, one after the other, and would otherwise begin last, since vitest takes a
 * short file for a quick one. The first of them is to find an empty npm cache.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((left, right) => turnOf(left) - turnOf(right))
  }
}

function turnOf({ project, moduleId }: TestSpecification): number {
  if (project.name !== 'scaffold') return 2
  return moduleId.endsWith('/templates.test.ts') ? 0 : 1
}
