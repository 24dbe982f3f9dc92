import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { environment } from './environment.ts'

export const kafkaVersion = '4.3.1'

const artifacts = [
  ['org.apache.kafka', 'kafka_2.13', kafkaVersion],
  ['org.apache.kafka', 'kafka-tools', kafkaVersion],
  ['org.apache.logging.log4j', 'log4j-slf4j-impl', '2.25.1'],
  ['org.apache.logging.log4j', 'log4j-core', '2.25.1'],
]

/** The class path of Kafka and its tools: jars from the cache or, the first time, from Maven. */
export async function kafkaClasspath(signal?: AbortSignal): Promise<string[]> {
  const folder = join(environment.cacheFolder, `kafka-${kafkaVersion}`)
  if (!existsSync(folder)) await download(folder, signal)
  return [join(folder, '*')]
}

/** Downloads beside the folder and renames, so that what is in the folder is always complete. */
async function download(folder: string, signal?: AbortSignal): Promise<void> {
  await mkdir(environment.cacheFolder, { recursive: true })
  const work = await mkdtemp(join(environment.cacheFolder, 'download-'))
  try {
    await writeFile(join(work, 'pom.xml'), pom())
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

function pom(): string {
  const dependencies = artifacts.map(
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
