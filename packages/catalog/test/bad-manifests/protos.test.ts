import { expect, it } from 'vitest'
import { head, problemsOf } from '../support/manifest-problems.ts'

const block = 'syntax = "proto3";\nmessage Block { string Hash = 1; }\n'

// The mistake, the lines after the head, the .proto files, and every reported problem as it is printed.
it.each([
  [
    'a project without .proto files',
    '',
    {},
    'manifest.yaml:1:1: error: There is no .proto file under proto/ or next to manifest.yaml. Add one that defines the messages.',
  ],
  [
    'a file in proto2',
    '',
    { 'a.proto': 'syntax = "proto2";\nmessage Block { required string Hash = 1; }\n' },
    'a.proto:1:1: error: This file is written in "proto2", but only proto3 is supported. Begin it with:  syntax = "proto3";',
  ],
  [
    'a file without a syntax',
    '',
    { 'a.proto': 'message Block {}\n' },
    'a.proto:1:1: error: This file has no syntax declaration, so it is proto2, but only proto3 is supported. Begin it with:  syntax = "proto3";',
  ],
  [
    'a file with an edition',
    '',
    { 'a.proto': 'edition = "2023";\nmessage Block {}\n' },
    'a.proto:1:1: error: This file is written in "2023", but only proto3 is supported. Begin it with:  syntax = "proto3";',
  ],
  [
    'a file without messages',
    '',
    { 'a.proto': 'syntax = "proto3";\nenum E { A = 0; }\n' },
    'manifest.yaml:1:1: error: The .proto files define no message that has a topic by default. Add a top-level message that is no field of another, or list "topics".',
  ],
  [
    'messages that are all fields of other messages',
    '',
    { 'a.proto': 'syntax = "proto3";\nmessage A { B b = 1; }\nmessage B { A a = 1; }\n' },
    'manifest.yaml:1:1: error: The .proto files define no message that has a topic by default. Add a top-level message that is no field of another, or list "topics".',
  ],
  [
    'a short name that two messages have',
    'topics: [{ message: Block }]\n',
    { 'proto/a.proto': `package a;\n${block}`, 'proto/b.proto': `package b;\n${block}` },
    'manifest.yaml:4:21: error: "Block" is ambiguous: a.Block or b.Block. Write the full name.',
  ],
  [
    'two messages with the same default name',
    '',
    { 'proto/a.proto': `package a;\n${block}`, 'proto/b.proto': `package b;\n${block}` },
    'manifest.yaml:1:1: error: Topic name "evm_Block" is used twice. Give each topic a unique "name".',
  ],
  [
    'a message that two files define',
    '',
    { 'proto/a.proto': block, 'proto/b.proto': block },
    'proto/b.proto:2:9: error: Block is defined in a.proto already. Rename one, or give the files their own packages.',
  ],
  [
    'an import that does not exist, and a mistake in another file',
    '',
    {
      'proto/a.proto': `${block}import "b/c.proto";\n`,
      'proto/d.proto': 'syntax = "proto3";\nmessage D { Blok b = 1; }\n',
    },
    'proto/a.proto:3:8: error: There is no file "b/c.proto" under proto or next to this file. Correct the import or add the file.',
    'proto/d.proto:2:13: error: The type "Blok" is unknown here. A type of another file needs an import.',
  ],
] as const)('loadProject reports %s', async (_, lines, files, ...problems) => {
  expect(await problemsOf(`${head}${lines}`, files)).toEqual(problems)
})

it('loadProject accepts several files with imports and well-known types', async () => {
  const files = {
    'proto/a.proto': 'syntax = "proto3";\npackage a;\nimport "shared/b.proto";\nmessage A { b.B b = 1; }\n',
    'proto/shared/b.proto':
      'syntax = "proto3";\npackage b;\nimport "google/protobuf/timestamp.proto";\nmessage B { google.protobuf.Timestamp at = 1; }\n',
  }
  expect(await problemsOf(head, files)).toEqual([])
})

it('loadProject ignores copies of the well-known files', async () => {
  const files = {
    'proto/a.proto': block,
    'proto/google/protobuf/timestamp.proto': 'syntax = "proto3";\npackage google.protobuf;\nmessage Timestamp {}\n',
    'proto/google/protobuf/descriptor.proto': 'syntax = "proto2";\npackage google.protobuf;\n',
  }
  expect(await problemsOf(head, files)).toEqual([])
})
