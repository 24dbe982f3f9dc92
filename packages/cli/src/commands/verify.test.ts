import { evmFindingCodes } from '@headrace/evm'
import { verifyFindingCodes } from '@headrace/sdk'
import { sinkFindingCodes } from '@headrace/sink'
import { expect, test } from 'vitest'
import { readReferencePage } from '../../../testbed/reference/reference-page.ts'

test('docs/reference/cli.md lists every code of a finding, and no other', () => {
  const rows = readReferencePage('cli.md').rows('What verify finds', 'finding')
  const codes = rows.flatMap(([cell]) => cell!.split(', '))
  expect(codes).toEqual([...verifyFindingCodes, ...sinkFindingCodes, ...evmFindingCodes])
})
