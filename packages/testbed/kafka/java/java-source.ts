import { join } from 'node:path'
import { execa } from 'execa'
import { kafkaClasspath, kafkaVersion } from '../distribution.ts'

/** Runs Java programs with Kafka's classes. */
export interface KafkaJava {
  /** Runs a source file of this folder, or a class of Kafka, and returns the printed lines. */
  run(program: string, args: readonly string[]): Promise<string[]>
}

/** It needs a JDK, which runs source files without a build, and Maven. Returns the reason if one is missing. */
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
