import { describe, expect, it } from 'vitest'
import { outlineOf } from './proto-outline.ts'
import { protoTokens } from './proto-tokens.ts'

const proto = `// shop/item.proto
syntax = "proto3";

package shop.items;

// A thing.
message Item {
  string Name = 1;
}

// shop/order.proto
syntax = "proto3";

package shop;

import "google/protobuf/timestamp.proto";
import "shop/item.proto";

// An order. message Fake { string x = 1; }
//
// <script>alert("1")</script> \u202e }
message Order {
  reserved 4, 6 to 9, 100 to max;
  reserved "old", "}";
  // What is known of it.
  enum State {
    option allow_alias = true;
    NONE = 0;
    // Not yet.
    LATER = -1;
  }
  message Line {
    repeated shop.items.Item Items = 1;
  }
  google.protobuf.Timestamp ts = 1;
  // In cents.
  // Of the currency.
  optional uint64 Amount = 2;
  map<string, Order.Line> Lines = 3;
  Order.State State = 5;
  oneof payment {
    // Four digits.
    string card = 10;
    Order again = 11;
  }
  string message = 12;
}
`

describe('the outline of a .proto text', () => {
  const outline = outlineOf(proto)

  it('has every message and enum by its full name, with its comment', () => {
    expect([...outline.keys()]).toEqual(['shop.items.Item', 'shop.Order', 'shop.Order.State', 'shop.Order.Line'])
    expect(outline.get('shop.Order')!.comment).toBe(
      'An order. message Fake { string x = 1; }\n\n<script>alert("1")</script> \u202e }',
    )
  })

  it('has fields with type, number, label, oneof and comment, and what they refer to', () => {
    expect(outline.get('shop.Order')!.fields).toEqual([
      { name: 'ts', type: 'google.protobuf.Timestamp', number: '1', comment: '' },
      { name: 'Amount', type: 'uint64', number: '2', comment: 'In cents.\nOf the currency.', label: 'optional' },
      { name: 'Lines', type: 'map<string, Order.Line>', number: '3', comment: '', refersTo: 'shop.Order.Line' },
      { name: 'State', type: 'Order.State', number: '5', comment: '', refersTo: 'shop.Order.State' },
      { name: 'card', type: 'string', number: '10', comment: 'Four digits.', oneof: 'payment' },
      { name: 'again', type: 'Order', number: '11', comment: '', oneof: 'payment', refersTo: 'shop.Order' },
      { name: 'message', type: 'string', number: '12', comment: '' },
    ])
    expect(outline.get('shop.Order.Line')!.fields).toMatchObject([{ label: 'repeated', refersTo: 'shop.items.Item' }])
  })

  it('has the values of enums', () => {
    expect(outline.get('shop.Order.State')!.values).toEqual([
      { name: 'NONE', number: '0', comment: '' },
      { name: 'LATER', number: '-1', comment: 'Not yet.' },
    ])
  })

  it('ends for text that is cut off anywhere, and its tokens are always the whole text', () => {
    for (let length = 0; length <= proto.length; length += 7) {
      const part = proto.slice(0, length)
      outlineOf(part)
      expect(
        protoTokens(part)
          .map(({ text }) => text)
          .join(''),
      ).toBe(part)
    }
  })
})
