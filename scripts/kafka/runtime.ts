import { execa } from 'execa'
import { kafkaClasspath, kafkaVersion } from './distribution.ts'

/** What Kafka's Java programs can be run with on this machine. */
export type KafkaRuntime = { kind: 'docker'; image: string } | { kind: 'java'; classpath: string[] }

/** Docker if an engine answers, else Java 17 or newer with Maven, else the reason why there is neither. */
export async function findKafkaRuntime(signal?: AbortSignal): Promise<KafkaRuntime | { unavailable: string }> {
  const cancel = signal && { cancelSignal: signal }
  const docker = await execa('docker', ['info'], { reject: false, timeout: 10_000, ...cancel })
  if (docker.exitCode === 0) return { kind: 'docker', image: `apache/kafka:${kafkaVersion}` }

  const java = await execa('java', ['-version'], { reject: false, timeout: 10_000, ...cancel })
  const version = Number(/version "(\d+)/.exec(java.stderr ?? '')?.[1] ?? 0)
  if (version < 17) {
    const found = version === 0 ? 'there is no Java' : `Java is ${version}`
    return { unavailable: `no Docker engine answers and ${found}; install Docker, or Java 17 and Maven` }
  }
  try {
    return { kind: 'java', classpath: await kafkaClasspath(signal) }
  } catch (error) {
    return { unavailable: `no Docker engine answers and Maven could not get Kafka: ${(error as Error).message}` }
  }
}
