import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { cachedFolder } from '../cached-folder.ts'

/** The release that tests use by default. */
export const kafkaVersion = '4.3.1'

/** Whether a release is at least another: `isAtLeast('4.3.1', '3.7')`. */
export function isAtLeast(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) >= 0
}

/** The class path of a release of Kafka and its tools: jars from the cache or, the first time, from Maven. */
export function kafkaClasspath(version: string, signal?: AbortSignal): Promise<string[]> {
  return mavenClasspath(`kafka-${version}`, artifacts(version), signal)
}

/** Group, name and version. */
export type Artifact = readonly [group: string, artifact: string, version: string]

/**
 * The class path of artifacts with all that they need.
 *
 * @param name - Of the folder in the cache.
 */
export async function mavenClasspath(
  name: string,
  artifacts: readonly Artifact[],
  signal?: AbortSignal,
): Promise<string[]> {
  const folder = await cachedFolder(name, async (work) => {
    await writeFile(join(work, 'pom.xml'), pom(artifacts))
    const goals = ['dependency:copy-dependencies', `-DoutputDirectory=${work}`, '-DincludeScope=runtime']
    await execa('mvn', ['--batch-mode', '--quiet', ...goals], { cwd: work, ...(signal && { cancelSignal: signal }) })
  })
  return [join(folder, '*')]
}

function pom(artifacts: readonly Artifact[]): string {
  const dependencies = artifacts.map(
    ([group, artifact, version]) =>
      `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`,
  )
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>headrace</groupId><artifactId>java-for-tests</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>${dependencies.join('')}</dependencies>
</project>
`
}

function artifacts(version: string): Artifact[] {
  const log4j = ['log4j-slf4j-impl', 'log4j-core', ...(isAtLeast(version, '4') ? [] : ['log4j-1.2-api'])]
  return [
    ['org.apache.kafka', 'kafka_2.13', version],
    ['org.apache.kafka', 'kafka-tools', version],
    ...log4j.map((artifact): Artifact => ['org.apache.logging.log4j', artifact, '2.25.1']),
  ]
}
