import type { Answers } from './answers.ts'
import type { ProjectFile } from './project-file.ts'

/** What the template `evm-events` needs beside its folder. `abi/index.ts` exports these functions by these names. */
export interface ContractSupport {
  /**
   * Names of the events that the contract of an ABI file has and that can be published, in its order.
   *
   * @param abi - Path of the file. Left out: the ABI that the template brings with it.
   * @throws {UserError} `invalid_abi`
   */
  eventNames(abi?: string): Promise<readonly string[]>
  /**
   * Makes the files that depend on the contract. Each stands in the place of the template's file of the same path.
   * Nothing has been written when this is called, so all that is wrong with `answers.contract` is thrown here.
   *
   * @param template - The files of the template, with the tokens filled in.
   * @throws {UserError} `invalid_abi`, `unknown_event`, `anonymous_event`, `invalid_address`
   */
  contractFiles(answers: Answers, template: readonly ProjectFile[]): Promise<readonly ProjectFile[]>
}
