import { join } from 'node:path'
import { execa } from 'execa'
import { kafkaClasspath, kafkaVersion } from '../distribution.ts'
import { quickJava } from '../machine.ts'

/** Runs Java programs with Kafka's classes. */
export interface KafkaJava {
  /** Runs a source file of this folder and returns the printed lines. */
  run(source: string, args: readonly string[]): Promise<string[]>
}

/** Finds a JDK, which runs source files without a build, and Maven. Returns the reason if one is missing. */
export async function findKafkaJava(): Promise<KafkaJava | { unavailable: string }> {
  const compiler = await execa('javac', ['-version'], { reject: false, timeout: 10_000 })
  if (compiler.exitCode !== 0) return { unavailable: 'there is no JDK' }
  try {
    const classpath = await kafkaClasspath(kafkaVersion)
    return { run: (source, args) => run(classpath, source, args) }
  } catch (error) {
    return { unavailable: `Maven could not get Kafka ${kafkaVersion}: ${(error as Error).message}` }
  }
}

async function run(classpath: readonly string[], source: string, args: readonly string[]): Promise<string[]> {
  const options = ['-Xmx512m', ...quickJava, '-cp', classpath.join(':'), join(import.meta.dirname, source)]
  const { stdout } = await execa('java', [...options, ...args], { lines: true, maxBuffer: 256 * 1024 * 1024 })
  return stdout
}
