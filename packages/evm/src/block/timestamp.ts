/** `google.protobuf.Timestamp`. */
export interface Timestamp {
  readonly seconds: bigint
  readonly nanos: number
}
