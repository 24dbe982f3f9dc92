export const cliErrorCodes = [
  'connector_crashed',
  'connector_not_found',
  'connector_not_loaded',
  'file_exists',
  'generated_files_differ',
  'invalid_against',
  'invalid_env_file',
  'output_failed',
  'watch_failed',
  'wrong_usage',
] as const
