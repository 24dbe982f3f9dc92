import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { execa } from 'execa'
import { environment } from '../environment.ts'
import { isAtLeast, kafkaClasspath, kafkaVersion } from './distribution.ts'

/** What can run Kafka's Java programs on this machine. */
export type KafkaRuntime =
  | { kind: 'docker'; image: string }
  /** `archive`: path of the class archive, which the first server writes. Only for the release that most tests use. */
  | { kind: 'java'; classpath: string[]; archive: string | undefined }

/** Docker if an engine answers, else Java 17 or newer with Maven, else the reason. */
export async function findKafkaRuntime(
  version: string,
  signal?: AbortSignal,
): Promise<KafkaRuntime | { unavailable: string }> {
  const cancel = signal && { cancelSignal: signal }
  if (isAtLeast(version, firstImage)) {
    const docker = await execa('docker', ['info'], { reject: false, timeout: 10_000, ...cancel })
    if (docker.exitCode === 0) return { kind: 'docker', image: `apache/kafka:${version}` }
  }

  const java = await execa('java', ['-version'], { reject: false, timeout: 10_000, ...cancel })
  const javaVersion = Number(/version "(\d+)/.exec(java.stderr ?? '')?.[1] ?? 0)
  if (javaVersion < 17) {
    const found = javaVersion === 0 ? 'there is no Java' : `Java is ${javaVersion}`
    return { unavailable: `no Docker engine answers and ${found}; install Docker, or Java 17 and Maven` }
  }
  try {
    const build = createHash('sha256').update(java.stderr).digest('hex').slice(0, 16)
    const archive = join(environment.cacheFolder, `kafka-${version}-java-${build}.jsa`)
    const classpath = await kafkaClasspath(version, signal)
    return { kind: 'java', classpath, archive: version === kafkaVersion ? archive : undefined }
  } catch (error) {
    return { unavailable: `Maven could not get Kafka ${version}: ${(error as Error).message}` }
  }
}

/** The first release with an official image. */
const firstImage = '3.7'
