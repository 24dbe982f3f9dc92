import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileProtos, createValueSchema } from '@headrace/catalog'
import { expect, onTestFinished, test } from 'vitest'
import { valueFields } from './value-fields.ts'

const proto = `syntax = "proto3";
package acme;
import "google/protobuf/timestamp.proto";

message Node {
  // When.
  google.protobuf.Timestamp ts = 1;
  int64 big = 2;
  uint32 small = 3;
  double ratio = 4;
  bool on = 5;
  bytes data = 6;
  // Which.
  Kind kind = 7;
  Node next = 8;
  repeated Leaf leaves = 9;
  map<string, Leaf> named = 10;
  repeated uint64 numbers = 11;
}
// A kind.
enum Kind { NONE = 0; SOME = 1; }
message Leaf { string name = 1; }
`

test('fields of nested messages, lists and maps have paths, types and comments, and recursion ends', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-fields-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'node.proto'), proto)
  const { schema } = await compileProtos([join(folder, 'node.proto')])
  const fields = valueFields(createValueSchema(schema!.message('acme.Node')!, 'hex'))
  expect(fields.map(({ field, type, comment }) => [field, type, ...(comment === undefined ? [] : [comment])])).toEqual([
    ['ts', 'time, RFC 3339', 'When.'],
    ['big', '64-bit integer, as text'],
    ['small', 'integer'],
    ['ratio', 'number'],
    ['on', 'boolean'],
    ['data', 'bytes, as 0x and hex digits'],
    ['kind', 'enum: NONE, SOME', 'Which.'],
    ['next', 'message acme.Node'],
    ['leaves', 'list of message acme.Leaf'],
    ['leaves[].name', 'text'],
    ['named', 'map of message acme.Leaf'],
    ['named{}.name', 'text'],
    ['numbers', 'list of 64-bit integer, as text'],
  ])
})
