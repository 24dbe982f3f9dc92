// Requests of the library, in versions that every broker from Kafka 3.6 to 4.3 supports.
import {
  addPartitionsToTxnV3,
  apiVersionsV3,
  createTopicsV7,
  deleteRecordsV2,
  describeConfigsV4,
  findCoordinatorV4,
  initProducerIdV4,
  listOffsetsV7,
  metadataV12,
} from '@platformatic/kafka'

// Version 4 and later are for brokers only (KIP-890).
export const addPartitionsToTxnRequest: typeof addPartitionsToTxnV3.api = addPartitionsToTxnV3.api
export const apiVersionsRequest: typeof apiVersionsV3.api = apiVersionsV3.api
export const createTopicsRequest: typeof createTopicsV7.api = createTopicsV7.api
export const deleteRecordsRequest: typeof deleteRecordsV2.api = deleteRecordsV2.api
export const describeConfigsRequest: typeof describeConfigsV4.api = describeConfigsV4.api
export const findCoordinatorRequest: typeof findCoordinatorV4.api = findCoordinatorV4.api
export const initProducerIdRequest: typeof initProducerIdV4.api = initProducerIdV4.api
export const listOffsetsRequest: typeof listOffsetsV7.api = listOffsetsV7.api
export const metadataRequest: typeof metadataV12.api = metadataV12.api
