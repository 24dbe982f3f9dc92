import { join } from 'node:path'
import { loadProject } from '@headrace/catalog'
import { expect, it } from 'vitest'
import { createFolder } from '../support/folder.ts'
import { head, problemsOf } from '../support/manifest-problems.ts'

// The mistake, the lines before it, the lines with it, and every reported problem as it is printed.
it.each([
  [
    'a manifest without fields',
    '',
    `{}`,
    'manifest.yaml:1:1: error: The field "package" is missing. Add, for example,  package: evm',
    'manifest.yaml:1:1: error: The field "owner" is missing. Add, for example,  owner: acme',
    'manifest.yaml:1:1: error: The field "version" is missing. Add, for example,  version: 1.0.0',
  ],
  [
    'two missing fields at the map that lacks them',
    '',
    `# first
owner: acme`,
    'manifest.yaml:2:1: error: The field "package" is missing. Add, for example,  package: evm',
    'manifest.yaml:2:1: error: The field "version" is missing. Add, for example,  version: 1.0.0',
  ],
  [
    'a required field without a value',
    '',
    `package:
owner: acme
version: 1.0.0`,
    'manifest.yaml:1:9: error: "package" has no value. Set one, or remove the line.',
  ],
  [
    'a package with characters that a topic name cannot contain',
    '',
    `package: Kurse für alle
owner: acme
version: 1.0.0`,
    'manifest.yaml:1:10: error: "package" is "Kurse für alle"; it must be letters A to Z and a to z, digits, "_" and "-", beginning with a letter or digit, and not a version such as 1_0_0. Write, for example,  package: Kurse-fur-alle',
  ],
  [
    'an owner that begins with "_", the prefix of system topics',
    '',
    `package: evm
owner: _headrace
version: 1.0.0`,
    'manifest.yaml:2:8: error: "owner" is "_headrace"; it must be letters A to Z and a to z, digits, "_" and "-", beginning with a letter or digit, and not a version such as 1_0_0. Write, for example,  owner: headrace',
  ],
  [
    'a package that looks like the version in a topic name',
    '',
    `package: 1_0_0
owner: acme
version: 1.0.0`,
    'manifest.yaml:1:10: error: "package" is "1_0_0"; it must be letters A to Z and a to z, digits, "_" and "-", beginning with a letter or digit, and not a version such as 1_0_0.',
  ],
  [
    'an owner without an allowed letter',
    '',
    `package: evm
owner: 水
version: 1.0.0`,
    'manifest.yaml:2:8: error: "owner" is "水"; it must be letters A to Z and a to z, digits, "_" and "-", beginning with a letter or digit, and not a version such as 1_0_0.',
  ],
  [
    'a package that YAML reads as a number',
    '',
    `package: 404
owner: acme
version: 1.0.0`,
    'manifest.yaml:1:10: error: "package" is 404 (a number); it must be letters A to Z and a to z, digits, "_" and "-", beginning with a letter or digit, and not a version such as 1_0_0. Put it in quotes.',
  ],
  [
    'a package with a dot',
    '',
    `package: a.b
owner: acme
version: 1.0.0`,
    'manifest.yaml:1:10: error: "package" is "a.b"; it must be letters A to Z and a to z, digits, "_" and "-", beginning with a letter or digit, and not a version such as 1_0_0. Write, for example,  package: a-b',
  ],
  [
    'a package that is true',
    '',
    `package: true
owner: acme
version: 1.0.0`,
    'manifest.yaml:1:10: error: "package" is true (a boolean); it must be letters A to Z and a to z, digits, "_" and "-", beginning with a letter or digit, and not a version such as 1_0_0. Put it in quotes.',
  ],
  [
    'an owner that is a list',
    '',
    `package: evm
owner: [acme]
version: 1.0.0`,
    'manifest.yaml:2:8: error: "owner" is a list; it must be letters A to Z and a to z, digits, "_" and "-", beginning with a letter or digit, and not a version such as 1_0_0.',
  ],
  [
    'a version of two numbers',
    '',
    `package: evm
owner: acme
version: 1.0`,
    'manifest.yaml:3:10: error: "version" is 1.0 (a number); it must be a version of three numbers without leading zeros, such as 1.0.0.',
  ],
  [
    'a version with a v',
    '',
    `package: evm
owner: acme
version: v1.0.0`,
    'manifest.yaml:3:10: error: "version" is "v1.0.0"; it must be a version of three numbers without leading zeros, such as 1.0.0.',
  ],
  [
    'a version with leading zeros',
    '',
    `package: evm
owner: acme
version: 01.0.0`,
    'manifest.yaml:3:10: error: "version" is "01.0.0"; it must be a version of three numbers without leading zeros, such as 1.0.0.',
  ],
  [
    'a version with a suffix',
    '',
    `package: evm
owner: acme
version: 1.0.0-beta`,
    'manifest.yaml:3:10: error: "version" is "1.0.0-beta"; it must be a version of three numbers without leading zeros, such as 1.0.0.',
  ],
  [
    'a topicVersion that is a number',
    head,
    `topicVersion: 2`,
    'manifest.yaml:4:15: error: "topicVersion" is 2 (a number); it must be a version of three numbers without leading zeros, such as 1.0.0.',
  ],
  [
    'a topicVersion that is not a version',
    head,
    `topicVersion: latest`,
    'manifest.yaml:4:15: error: "topicVersion" is "latest"; it must be a version of three numbers without leading zeros, such as 1.0.0.',
  ],
  [
    'an id that is invalid',
    head,
    `id: "my project"`,
    'manifest.yaml:4:5: error: "id" is "my project"; it must be 1 to 64 letters A to Z and a to z, digits, "_" and "-", beginning with a letter or digit.',
  ],
  [
    'an id that YAML reads as a number',
    head,
    `id: 17`,
    'manifest.yaml:4:5: error: "id" is 17 (a number); it must be 1 to 64 letters A to Z and a to z, digits, "_" and "-", beginning with a letter or digit. Put it in quotes.',
  ],
  ['a title that is a list', head, `title: [a]`, 'manifest.yaml:4:8: error: "title" is a list; it must be a string.'],
  [
    'a license that is a number',
    head,
    `license: 2.0`,
    'manifest.yaml:4:10: error: "license" is 2.0 (a number); it must be a string. Put it in quotes.',
  ],
  [
    'an optional field without a value',
    head,
    `homepage:`,
    'manifest.yaml:4:10: error: "homepage" has no value. Set one, or remove the line.',
  ],
  [
    'a field in another case',
    head,
    `topicversion: 1.0.0`,
    'manifest.yaml:4:1: warning: The field "topicversion" is unknown. Did you mean "topicVersion"?',
  ],
  [
    'a field with a typo',
    head,
    `topcs: []`,
    'manifest.yaml:4:1: warning: The field "topcs" is unknown. Did you mean "topics"?',
  ],
  [
    'a field that is similar to none',
    head,
    `zzzzzzzz: 1`,
    'manifest.yaml:4:1: warning: The field "zzzzzzzz" is unknown. Allowed are package, owner, version, topicVersion, id, title, description, author, license, homepage, proto, run, topics, config, and your own fields beginning with "x-".',
  ],
  [
    'a field whose name is a number',
    head,
    `1: x`,
    'manifest.yaml:4:1: warning: The field "1" is unknown. Allowed are package, owner, version, topicVersion, id, title, description, author, license, homepage, proto, run, topics, config, and your own fields beginning with "x-".',
  ],
  [
    'run as a number',
    head,
    `run: 3`,
    'manifest.yaml:4:6: error: "run" is 3 (a number); it must be the path of a module, such as src/connector.ts, or a map with a command, such as  { command: [python3, connector.py] }',
  ],
  [
    'run as a list',
    head,
    `run: [python3]`,
    'manifest.yaml:4:6: error: "run" is a list; it must be the path of a module, such as src/connector.ts, or a map with a command, such as  { command: [python3, connector.py] }',
  ],
  [
    'run without a path',
    head,
    `run: ""`,
    'manifest.yaml:4:6: error: "run" is ""; it must be the path of a module, such as src/connector.ts, or a map with a command, such as  { command: [python3, connector.py] }',
  ],
  [
    'run without a command',
    head,
    `run: {}`,
    'manifest.yaml:4:6: error: The field "command" of "run" is missing. Add, for example,  command: [python3, connector.py]',
  ],
  [
    'a field of run with a typo',
    head,
    `run: { comand: [python3] }`,
    'manifest.yaml:4:6: error: The field "command" of "run" is missing. Add, for example,  command: [python3, connector.py]',
    'manifest.yaml:4:8: warning: The field "comand" is unknown. Did you mean "command"?',
  ],
  [
    'a command as a string',
    head,
    `run: { command: python3 connector.py }`,
    'manifest.yaml:4:17: error: "run.command" is "python3 connector.py"; it must be a list of texts, the program and its arguments. Write, for example,  command: [python3, connector.py]',
  ],
  [
    'an empty command',
    head,
    `run: { command: [] }`,
    'manifest.yaml:4:17: error: "run.command" is an empty list; it must be a list of texts, the program and its arguments. Write, for example,  command: [python3, connector.py]',
  ],
  [
    'a command with a number',
    head,
    `run: { command: [python3, 1] }`,
    'manifest.yaml:4:27: error: "run.command" is a list with 1 (a number); it must be a list of texts, the program and its arguments. Write, for example,  command: [python3, connector.py]',
  ],
  [
    'a command with an empty string',
    head,
    `run: { command: [""] }`,
    'manifest.yaml:4:18: error: "run.command" is a list with ""; it must be a list of texts, the program and its arguments. Write, for example,  command: [python3, connector.py]',
  ],
  [
    'proto as a number',
    head,
    `proto: 3`,
    'manifest.yaml:4:8: error: "proto" is 3 (a number); it must be the path of a .proto file, or a list of paths. Leave it out to take all under proto/.',
  ],
  [
    'an empty list of files',
    head,
    `proto: []`,
    'manifest.yaml:4:8: error: "proto" is an empty list; it must be the path of a .proto file, or a list of paths. Leave it out to take all under proto/.',
  ],
  [
    'a .proto file that does not exist',
    head,
    `proto: other.proto`,
    'manifest.yaml:4:8: error: There is no file "other.proto" in <folder>. Correct the path or add the file.',
  ],
  [
    'a file that is not a .proto file',
    head,
    `proto: manifest.yaml`,
    'manifest.yaml:4:8: error: "proto" is "manifest.yaml"; it must be the path of a .proto file, or a list of paths. Leave it out to take all under proto/.',
  ],
  [
    'a folder as a .proto file',
    head,
    `proto: proto`,
    'manifest.yaml:4:8: error: "proto" is "proto"; it must be the path of a .proto file, or a list of paths. Leave it out to take all under proto/.',
  ],
  [
    'a .proto file that is listed twice',
    head,
    `proto: [proto/evm.proto, ./proto/evm.proto]`,
    'manifest.yaml:4:26: error: "proto" holds "./proto/evm.proto" twice. Name each file once.',
  ],
  [
    'all mistakes in the head and in a topic',
    '',
    `package: e.v.m
owner: acme
version: 1.0.0
topics:
  - { message: Block, key: Hsh }`,
    'manifest.yaml:1:10: error: "package" is "e.v.m"; it must be letters A to Z and a to z, digits, "_" and "-", beginning with a letter or digit, and not a version such as 1_0_0. Write, for example,  package: e-v-m',
    'manifest.yaml:5:28: error: Message Block has no field "Hsh" for the key. Did you mean "Hash"?',
  ],
] as const)('loadProject reports %s', async (_, before, lines, ...problems) => {
  expect(await problemsOf(`${before}${lines}\n`)).toEqual(problems)
})

it.each([
  ['manifest.yml', 'There is no manifest.yaml here. There is a manifest.yml: rename it to manifest.yaml.'],
  [
    'readme.md',
    'There is no manifest.yaml here. Add one with the fields package, owner and version, or name the folder of a connector.',
  ],
])('loadProject reports a folder with %s and no manifest.yaml', async (name, message) => {
  const { problems } = await loadProject(await createFolder({ [name]: '' }))
  expect(problems).toMatchObject([{ code: 'manifest_not_found', line: 1, column: 1, message }])
})

it('loadProject reports a folder that does not exist', async () => {
  const dir = join(await createFolder({}), 'missing')
  const { problems } = await loadProject(dir)
  expect(problems).toMatchObject([
    { message: `There is no manifest.yaml here. There is no folder ${dir} either: check the path.` },
  ])
})
