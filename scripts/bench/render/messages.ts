import { create, type DescMessage, toBinary } from '@bufbuild/protobuf'

export const proto = `
syntax = "proto3";
package bench;
import "google/protobuf/timestamp.proto";
message Transaction {
  google.protobuf.Timestamp ts = 1;
  bytes From = 2;
  string Hash = 3;
  double Size = 4;
  uint64 AccountNonce = 5;
  uint64 Price = 6;
  uint64 GasLimit = 7;
  bytes Recipient = 8;
  uint64 Amount = 9;
  bytes Payload = 10;
  uint64 V = 11;
  uint64 R = 12;
  uint64 S = 13;
}
message Order {
  google.protobuf.Timestamp ts = 1;
  string number = 2;
  State state = 3;
  repeated Line lines = 4;
  map<string, string> labels = 5;
  repeated int64 counts = 6;
  optional string note = 7;
  oneof payment { string card = 8; Line voucher = 9; }
}
message Line {
  string article = 1;
  int32 quantity = 2;
  double price = 3;
  bool gift = 4;
}
enum State { UNKNOWN = 0; OPEN = 1; SENT = 2; }`

const count = 1000

/** Transactions of a chain: numbers, strings and bytes. */
export function transactions(message: DescMessage): Uint8Array[] {
  return encoded(message, (index) => ({
    ts: timestamp(index),
    From: new Uint8Array(20).fill(index),
    Hash: `0x${index.toString(16).padStart(64, 'a')}`,
    Size: 110 + (index % 50),
    AccountNonce: BigInt(index),
    Price: 20_000_000_000n + BigInt(index),
    GasLimit: 21_000n,
    Recipient: new Uint8Array(20).fill(index + 1),
    Amount: 1_234_567_890_123_456_789n + BigInt(index),
    Payload: new Uint8Array(index % 2 === 0 ? 0 : 68).fill(0xa9),
    V: 37n,
    R: 18_446_744_073_709_551_615n,
    S: 18_446_744_073_709_551_615n,
  }))
}

/** Orders with five lines each, labels and counts. */
export function nestedOrders(message: DescMessage): Uint8Array[] {
  return encoded(message, (index) => ({
    ts: timestamp(index),
    number: `A-${index}`,
    state: index % 3,
    lines: Array.from({ length: 5 }, (_, line) => ({
      article: `article ${line}`,
      quantity: line + 1,
      price: line * 1.25,
      gift: line === 4,
    })),
    labels: { colour: 'red', shop: 'Zürich', weight: `${index} g` },
    counts: [1n, 2n, BigInt(index)],
    payment: { case: 'card', value: '**** 1234' },
  }))
}

function encoded(message: DescMessage, fieldsOf: (index: number) => object): Uint8Array[] {
  return Array.from({ length: count }, (_, index) => toBinary(message, create(message, fieldsOf(index) as never)))
}

function timestamp(index: number): object {
  return { $typeName: 'google.protobuf.Timestamp', seconds: BigInt(1_780_000_000 + index), nanos: 0 }
}
