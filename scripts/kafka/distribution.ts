import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { environment } from './environment.ts'

/** The release that tests run on unless they ask for another. */
export const kafkaVersion = '4.3.1'

/** Whether a release is at least another: `isAtLeast('4.3.1', '3.7')`. */
export function isAtLeast(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) >= 0
}

/** The class path of a release of Kafka and its tools: jars from the cache or, the first time, from Maven. */
export async function kafkaClasspath(version: string, signal?: AbortSignal): Promise<string[]> {
  const folder = join(environment.cacheFolder, `kafka-${version}`)
  if (!existsSync(folder)) await download(version, folder, signal)
  return [join(folder, '*')]
}

/** Downloads beside the folder and renames, so that what is in the folder is always complete. */
async function download(version: string, folder: string, signal?: AbortSignal): Promise<void> {
  await mkdir(environment.cacheFolder, { recursive: true })
  const work = await mkdtemp(join(environment.cacheFolder, 'download-'))
  try {
    await writeFile(join(work, 'pom.xml'), pom(version))
    const jars = join(work, 'jars')
    const goals = ['dependency:copy-dependencies', `-DoutputDirectory=${jars}`, '-DincludeScope=runtime']
    await execa('mvn', ['--batch-mode', '--quiet', ...goals], { cwd: work, ...(signal && { cancelSignal: signal }) })
    await rename(jars, folder).catch((error: unknown) => {
      // Another process was quicker.
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

function pom(version: string): string {
  const dependencies = artifacts(version).map(
    ([group, artifact, version]) =>
      `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`,
  )
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>headrace</groupId><artifactId>kafka-for-tests</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>${dependencies.join('')}</dependencies>
</project>
`
}

function artifacts(version: string): string[][] {
  const log4j = ['log4j-slf4j-impl', 'log4j-core', ...(isAtLeast(version, '4') ? [] : ['log4j-1.2-api'])]
  return [
    ['org.apache.kafka', 'kafka_2.13', version],
    ['org.apache.kafka', 'kafka-tools', version],
    ...log4j.map((artifact) => ['org.apache.logging.log4j', artifact, '2.25.1']),
  ]
}
