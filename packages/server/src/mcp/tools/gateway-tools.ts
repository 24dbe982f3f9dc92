import type { Tool } from '../tool.ts'
import { connectorLag } from './connector-lag.ts'
import { describeTopic } from './describe-topic.ts'
import { listTopics } from './list-topics.ts'
import { newestRecords, readRecords } from './read-records.ts'

/** In the order in which a model usually needs them. */
export const gatewayTools: readonly Tool[] = [listTopics, describeTopic, newestRecords, readRecords, connectorLag]
