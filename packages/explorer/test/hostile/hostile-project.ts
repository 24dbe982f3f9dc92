import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scripts } from './corpus.ts'

export const hostileTopic = 'acme.hostile.1_0_0.hostile_Thing'

/** A connector whose title and comments have scripts. */
export async function writeHostileProject(): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-hostile-'))
  await mkdir(join(folder, 'proto'))
  await writeFile(join(folder, 'manifest.yaml'), manifest)
  await writeFile(join(folder, 'proto/hostile.proto'), proto)
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

const manifest = `package: hostile
owner: acme
version: 1.0.0
title: ${JSON.stringify(scripts[1])}
topics:
  - message: Thing
    key: name
`

const comments = scripts.map((text) => `// ${text}`)

const proto = `syntax = "proto3";

package acme.hostile;

${comments.join('\n')}
message Thing {
  ${comments.join('\n  ')}
  string name = 1;
  // ${scripts[0]}
  string text = 2;
  // ${scripts[3]}
  map<string, string> members = 3;
  int64 signed = 4;
  uint64 unsigned = 5;
  repeated string texts = 6;
  bytes raw = 7;
  double real = 8;
  Kind kind = 9;

  // ${scripts[4]}
  enum Kind {
    // ${scripts[1]}
    NONE = 0;
  }
}
`
