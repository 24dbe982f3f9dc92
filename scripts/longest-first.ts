import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Begins with the templates: they take minutes, one after the other, and would otherwise begin last, since vitest takes a
 * short file for a quick one.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ project }: TestSpecification) => project.name === 'scaffold'
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
