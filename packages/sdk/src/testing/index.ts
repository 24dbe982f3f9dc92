export { createFaultyQueue, type Fault, type FaultStep, type FaultyQueue } from './faulty-queue.ts'
export type { PublishedRecord } from './published-record.ts'
export { createTestProject, type TestProject, type TestProjectOptions, type TestRunOptions } from './test-project.ts'
