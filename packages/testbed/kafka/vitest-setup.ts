import type { TestProject } from 'vitest/node'
import { reportSkipped } from '../skipped-tests.ts'
import { startKafka } from './start-kafka.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** `host:port` of a real Kafka; `null` if there is none: its tests are skipped. */
    kafka: string | null
    /** The command that runs one of Kafka's Java programs; a main class and its arguments follow. */
    kafkaJavaCommand: string[] | null
  }
}

/** Starts one Kafka for all tests. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const kafka = await startKafka()
  if ('unavailable' in kafka) {
    reportSkipped('Kafka', kafka.unavailable)
    project.provide('kafka', null)
    project.provide('kafkaJavaCommand', null)
    return undefined
  }
  project.provide('kafka', kafka.bootstrap)
  project.provide('kafkaJavaCommand', [...kafka.javaCommand])
  return kafka.stop
}
