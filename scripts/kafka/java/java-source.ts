import { join } from 'node:path'
import { execa } from 'execa'
import { kafkaClasspath, kafkaVersion } from '../distribution.ts'

/** Runs Java against Kafka's own classes. */
export interface KafkaJava {
  /** Runs a source file of this folder, or a class of Kafka's, and gives the lines it prints. */
  run(program: string, args: readonly string[]): Promise<string[]>
}

/** Needs a JDK, which can run a source file as it is, and Maven. Otherwise the reason why there is none. */
export async function findKafkaJava(): Promise<KafkaJava | { unavailable: string }> {
  const compiler = await execa('javac', ['-version'], { reject: false, timeout: 10_000 })
  if (compiler.exitCode !== 0) return { unavailable: 'there is no JDK' }
  try {
    const classpath = await kafkaClasspath(kafkaVersion)
    return { run: (program, args) => run(classpath, program, args) }
  } catch (error) {
    return { unavailable: `Maven could not get Kafka ${kafkaVersion}: ${(error as Error).message}` }
  }
}

async function run(classpath: readonly string[], program: string, args: readonly string[]): Promise<string[]> {
  const target = program.endsWith('.java') ? join(import.meta.dirname, program) : program
  const options = ['-Xmx512m', '-XX:+UseSerialGC', '-cp', classpath.join(':')]
  const { stdout } = await execa('java', [...options, target, ...args], { lines: true, maxBuffer: 256 * 1024 * 1024 })
  return stdout
}
