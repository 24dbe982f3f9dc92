export const createConnectorErrorCodes = [
  'anonymous_event',
  'folder_exists',
  'folder_in_clone',
  'folder_not_written',
  'invalid_abi',
  'invalid_address',
  'invalid_name',
  'invalid_owner',
  'node_too_old',
  'packages_not_found',
  'program_missing',
  'registry_unavailable',
  'scaffold_cancelled',
  'step_failed',
  'unknown_event',
  'unknown_package_manager',
  'unknown_template',
  'unused_option',
] as const

/** 1 for all others. */
export const createConnectorExitCodes: Readonly<Record<string, 2 | 69>> = {
  invalid_name: 2,
  invalid_owner: 2,
  unknown_package_manager: 2,
  unknown_template: 2,
  unused_option: 2,
  registry_unavailable: 69,
}
