export type { DestinationTest, DestinationTestResult, KillTest } from './destination-test.ts'
export { testDestination } from './test-destination.ts'
