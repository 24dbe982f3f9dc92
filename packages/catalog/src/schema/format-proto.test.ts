import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createFolder } from '../../test/support/folder.ts'
import { compileProtos } from './compile-protos.ts'
import { formatProto } from './format-proto.ts'

const files = {
  'shop/money.proto': `syntax = "proto3";
package acme.money;
// What something costs.
message Price {
  string currency = 1; // ISO 4217, */ included.
  sint64 cents = 2;
}
`,
  'shop/order.proto': `syntax = "proto3";
package acme.shop;
import "shop/money.proto";
import "google/protobuf/timestamp.proto";
/* Goods that somebody has bought:
 *
 *   from the day of the order.
 */
message Order {
  reserved 4, 7 to 9;
  reserved "old", "older";
  enum State {
    STATE_UNKNOWN = 0;
    OPEN = 1; // Not paid.
  }
  message Line { string article = 1; uint32 count = 2; map<string, Note> notes = 3; }
  // By the buyer.
  message Note { bytes text = 1; }
  google.protobuf.Timestamp ts = 1;
  optional State state = 2;
  repeated Line lines = 3;
  // How it was paid.
  oneof payment {
    acme.money.Price cash = 5;
    // The last four digits.
    string card = 6;
  }
  map<int32, double> weights = 10;
  Kind kind = 11;
  Order.Note note = 12;
}
// What it is.
enum Kind {
  option allow_alias = true;
  reserved 5 to 6;
  NONE = 0;
  NOTHING = 0;
  GIFT = -1;
}
`,
}

async function compile(sources: Readonly<Record<string, string>>) {
  const root = await createFolder(sources)
  const { schema, problems } = await compileProtos([join(root, 'shop/order.proto')], { root })
  expect(problems).toEqual([])
  return schema!
}

it('formats text that compiles to the same descriptors, with the same comments', async () => {
  const schema = await compile(files)
  const text = formatProto(schema.message('acme.shop.Order')!)
  const parts = text.split(/^\/\/ (.*)\n(?=syntax )/m).slice(1)
  const sources = Object.fromEntries(
    parts.flatMap((name, index) => (index % 2 === 0 ? [[name, parts[index + 1]!]] : [])),
  )
  expect(Object.keys(sources)).toEqual(['shop/money.proto', 'shop/order.proto'])
  const again = await compile(sources)
  expect(Buffer.compare(again.descriptors, schema.descriptors)).toBe(0)
})

it('formats like handwritten text', async () => {
  const schema = await compile(files)
  expect(formatProto(schema.message('acme.money.Price')!)).toBe(`// shop/money.proto
syntax = "proto3";

package acme.money;

// What something costs.
message Price {
  // ISO 4217, */ included.
  string currency = 1;
  sint64 cents = 2;
}
`)
})
