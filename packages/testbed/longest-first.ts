import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Begins with the templates, which take minutes, one after the other: the first of them is to find an empty npm cache.
 * Then come the files that take half a minute, or wait for other processes. vitest assumes that a short file runs
 * quickly.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((left, right) => turnOf(left) - turnOf(right))
  }
}

function turnOf({ project, moduleId }: TestSpecification): number {
  if (project.name === 'scaffold') return moduleId.endsWith('/templates.test.ts') ? 0 : 1
  return project.name === 'integration' && long.test(moduleId) ? 2 : 3
}

const long = /\/(cli|sdk)\/test\/|\/(geth|kafka|simulation)\.test\.ts$/
