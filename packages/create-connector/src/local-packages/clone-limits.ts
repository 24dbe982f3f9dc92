import { isAbsolute, relative, sep } from 'node:path'
import { UserError } from '@headrace/queue'
import type { PackageManager } from '../set-up/package-manager.ts'
import type { Clone } from './local-package.ts'

/** @throws {UserError} `folder_in_clone`: inside a clone a project would be a part of it, for npm and for Git. */
export function checkOutsideClone(dir: string, clone: Clone | undefined): void {
  if (!clone) return
  const path = relative(clone.folder, dir)
  if (path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)) return
  throw new UserError(
    'folder_in_clone',
    `${dir} is inside the clone. Nothing was written. Name a folder outside of it, such as ../demo.`,
  )
}

/** @throws {UserError} `unused_option` */
export function checkPackageManager(packageManager: PackageManager, clone: Clone | undefined): void {
  if (!clone || packageManager === 'npm') return
  throw new UserError(
    'unused_option',
    `--package-manager ${packageManager}: npm alone installs the packages of a clone. Leave the option out.`,
  )
}
