/** Requests of the library, in versions that every broker from Kafka 3.6 to 4.3 supports. */
export {
  // Version 4 and later are for brokers only (KIP-890).
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
