import { expect, it } from 'vitest'
import { head, problemsOf } from '../support/manifest-problems.ts'

// The mistake, the lines before it, the lines with it, and every reported problem as it is printed.
it.each([
  [
    'config as a number',
    head,
    `config: 3`,
    'manifest.yaml:4:9: error: "config" is 3 (a number); it must be a JSON Schema with "type: object".',
  ],
  [
    'config as a list',
    head,
    `config: []`,
    'manifest.yaml:4:9: error: "config" is a list; it must be a JSON Schema with "type: object".',
  ],
  [
    'config of another type',
    head,
    `config: { type: array }`,
    'manifest.yaml:4:17: error: "config.type" is "array"; it must be "object".',
  ],
  [
    'config in another dialect',
    head,
    `config: { $schema: "http://json-schema.org/draft-07/schema#" }`,
    'manifest.yaml:4:20: error: "config.$schema" is "http://json-schema.org/draft-07/schema#"; it must be "https://json-schema.org/draft/2020-12/schema". Remove it: this is the default.',
  ],
  [
    'properties as a list',
    head,
    `config:
  properties: [a]`,
    'manifest.yaml:5:15: error: "config.properties" is a list; it must be a map.',
  ],
  [
    'a setting that is a string',
    head,
    `config:
  properties:
    a: string`,
    'manifest.yaml:6:8: error: "config.properties.a" is "string"; it must be a map.',
  ],
  [
    'a setting that is true',
    head,
    `config:
  properties:
    a: true`,
    'manifest.yaml:6:8: error: "config.properties.a" must be a map with a JSON Schema.',
  ],
  [
    'a type with a typo',
    head,
    `config:
  properties:
    a: { type: strin }`,
    'manifest.yaml:6:16: error: "config.properties.a.type" is "strin"; it must be one of string, integer, number, boolean, array, object, null, or a list of these. Did you mean "string"?',
  ],
  [
    'a keyword with a typo',
    head,
    `config:
  properties:
    a: { defualt: 1 }`,
    'manifest.yaml:6:19: error: "config.properties.a.defualt" is not a keyword of JSON Schema. Did you mean "default"?',
  ],
  [
    'a nested keyword with a typo',
    head,
    `config:
  properties:
    a: { type: object, properties: { b: { typ: string } } }`,
    'manifest.yaml:6:48: error: "config.properties.a.properties.b.typ" is not a keyword of JSON Schema. Did you mean "type"?',
  ],
  [
    'a keyword that is similar to none',
    head,
    `config:
  properties:
    a: { zzzzzzzz: 1 }`,
    'manifest.yaml:6:20: error: "config.properties.a.zzzzzzzz" is not a keyword of JSON Schema. Remove it.',
  ],
  [
    'a pattern that is not a regular expression',
    head,
    `config:
  properties:
    a: { type: string, pattern: "[" }`,
    'manifest.yaml:6:33: error: "config.properties.a.pattern" is "[", which is not a regular expression: Unterminated character class.',
  ],
  [
    'an enum that is not a list',
    head,
    `config:
  properties:
    a: { enum: x }`,
    'manifest.yaml:6:16: error: "config.properties.a.enum" is "x"; it must be a list.',
  ],
  [
    'no alternatives',
    head,
    `config:
  properties:
    a: { anyOf: [] }`,
    'manifest.yaml:6:17: error: "config.properties.a.anyOf" is an empty list; it must be a list of 1 or more.',
  ],
  [
    'a limit that is a string',
    head,
    `config:
  properties:
    a: { type: integer, minimum: "1" }`,
    'manifest.yaml:6:34: error: "config.properties.a.minimum" is "1"; it must be a number.',
  ],
  [
    'a negative length',
    head,
    `config:
  properties:
    a: { type: string, minLength: -1 }`,
    'manifest.yaml:6:35: error: "config.properties.a.minLength" is -1; it must be 0 or more.',
  ],
  [
    'writeOnly as a string',
    head,
    `config:
  properties:
    a: { writeOnly: always }`,
    'manifest.yaml:6:21: error: "config.properties.a.writeOnly" is "always"; it must be true or false.',
  ],
  [
    'items as a list',
    head,
    `config:
  properties:
    a: { type: array, items: [string] }`,
    'manifest.yaml:6:30: error: "config.properties.a.items" is a list; it must be a map.',
  ],
  [
    'a reference without a target',
    head,
    `config:
  properties:
    a: { $ref: "#/$defs/url" }`,
    'manifest.yaml:6:16: error: "config.properties.a.$ref" is "#/$defs/url", which does not exist. Define it under "config.$defs" and refer to it with  #/$defs/NAME.',
  ],
  [
    'required as a string',
    head,
    `config: { required: a }`,
    'manifest.yaml:4:21: error: "config.required" is "a"; it must be a list.',
  ],
  [
    'a required setting that does not exist',
    head,
    `config:
  required: [chian]
  properties:
    chain: { type: string }`,
    'manifest.yaml:5:14: error: "config.required.0" is "chian", which is missing from "properties". Did you mean "chain"?',
  ],
  [
    'a required setting that is listed twice',
    head,
    `config:
  required: [a, a]
  properties:
    a: {}`,
    'manifest.yaml:5:13: error: "config.required" is a list; it must not contain a value twice.',
  ],
  [
    'two settings of one variable',
    head,
    `config:
  properties:
    pollSeconds: {}
    poll_seconds: {}`,
    'manifest.yaml:7:19: error: "config.properties.poll_seconds" has the same variable CONNECTOR_POLL_SECONDS as "pollSeconds". Rename one of them.',
  ],
  [
    'a keyword with a typo once, if a topic name contains another setting',
    head,
    `topics:
  - { message: Block, name: "{chain}_Block" }
config:
  properties:
    chain: { type: string, pattern: "^[a-z]+$", default: eth }
    start: { typ: integer }`,
    'manifest.yaml:9:19: error: "config.properties.start.typ" is not a keyword of JSON Schema. Did you mean "type"?',
  ],
  [
    'a default of another type',
    head,
    `config:
  properties:
    a: { type: integer, default: x }`,
    'manifest.yaml:6:34: error: "config.properties.a.default" is "x"; it must be a whole number.',
  ],
  [
    'a default that is not an alternative',
    head,
    `config:
  properties:
    a: { anyOf: [{ type: integer, minimum: 0 }, { enum: [latest] }], default: now }`,
    'manifest.yaml:6:79: error: "config.properties.a.default" is "now"; it must be a whole number of 0 or more or "latest".',
  ],
  [
    'a default outside of the limits',
    head,
    `config:
  properties:
    a: { type: number, minimum: 1, default: 0 }`,
    'manifest.yaml:6:45: error: "config.properties.a.default" is 0; it must be 1 or more.',
  ],
  [
    'a default with a wrong item',
    head,
    `config:
  properties:
    a: { type: array, items: { type: integer }, default: [1, x] }`,
    'manifest.yaml:6:62: error: "config.properties.a.default.1" is "x"; it must be a whole number.',
  ],
  [
    'a default that does not match the pattern',
    head,
    `config:
  properties:
    a: { type: string, pattern: "^[a-z]+$", default: A1 }`,
    'manifest.yaml:6:54: error: "config.properties.a.default" is "A1"; it must match the pattern ^[a-z]+$.',
  ],
  [
    'a default of a secret without its value',
    head,
    `config:
  properties:
    a: { type: integer, default: s3cret, writeOnly: true }`,
    'manifest.yaml:6:34: error: "config.properties.a.default" is not allowed; it must be a whole number.',
  ],
] as const)('loadProject reports %s', async (_, before, lines, ...problems) => {
  expect(await problemsOf(`${before}${lines}\n`)).toEqual(problems)
})
