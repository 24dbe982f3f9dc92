import { formatProblem, loadProject } from '@headrace/catalog'
import { expect } from 'vitest'
import { createFolder } from './folder.ts'

/** The required fields: the first three lines of a manifest. */
export const head = 'package: evm\nowner: acme\nversion: 1.0.0\n'

/** The content of `proto/evm.proto` next to the manifests of the tests. */
export const evmProto = `syntax = "proto3";
package acme.evm;
import "google/protobuf/timestamp.proto";
message Block {
  google.protobuf.Timestamp ts = 1;
  string Hash = 2;
  uint64 Number = 3;
  double Size = 4;
  repeated Part parts = 5;
}
message Part { string name = 1; }
message Log { int64 when = 1; }
`

/**
 * Every problem of a manifest, and of the .proto files next to it, as it is printed. Paths are relative to the
 * folder of the project.
 */
export async function problemsOf(
  manifest: string,
  files: Readonly<Record<string, string>> = { 'proto/evm.proto': evmProto },
): Promise<string[]> {
  const folder = await createFolder({ 'manifest.yaml': manifest, ...files })
  const { project, problems } = await loadProject(folder)
  expect(project === undefined).toBe(problems.some(({ severity }) => severity === 'error'))
  return problems.map((problem) => formatProblem(problem).replaceAll(`${folder}/`, '').replaceAll(folder, '<folder>'))
}
