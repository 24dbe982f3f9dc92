import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileProtos } from '@headrace/catalog'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { generateProtobufCode } from './protobuf-code.ts'

const proto = `syntax = "proto3";
package acme.shop;

// What somebody has bought.
message Order {
  // Number of the order. */
  uint64 number = 1;
  oneof payment {
    string card = 2; // The last four digits.
  }
  /* By weight. */
  map<string, double> parts = 3;
  message Line {
    string article = 1; // Its name.
  }
  repeated Line lines = 4;
  // Where it stands.
  State state = 5;
}

// The state of an order.
enum State {
  OPEN = 0; // Not paid yet.
}
`
let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'headrace-protobuf-code-'))
  await writeFile(join(dir, 'shop.proto'), proto)
})
afterAll(() => rm(dir, { recursive: true }))

it('generated code has the comments of the .proto file at their declarations', async () => {
  const { schema } = await compileProtos([join(dir, 'shop.proto')], { root: dir })
  const [file] = (await generateProtobufCode(schema!)).files
  for (const [comment, declared] of [
    ['What somebody has bought.', 'export interface Order {'],
    ['Number of the order. * /', 'number: bigint;'],
    ['The last four digits.', '{ $case: "card"; value: string }'],
    ['By weight.', 'parts: { [key: string]: number };'],
    ['Its name.', 'article: string;'],
    ['Where it stands.', 'state: State;'],
    ['The state of an order.', 'export const State = {'],
    ['OPEN - Not paid yet.', 'OPEN: 0,'],
  ])
    expect(file!.content.replaceAll(/\s+/g, ' ')).toContain(`/** ${comment} */ ${declared}`)
})
