export { describeQueue } from './describe-queue.ts'
export type { QueueHarness } from './subject.ts'
