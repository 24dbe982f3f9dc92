/** Codes of the errors that this package throws. */
export const catalogErrorCodes = [
  'invalid_manifest',
  'invalid_settings',
  'invalid_registration',
  'registration_refused',
  'incompatible_schema',
  'invalid_checkpoint',
  'invalid_reorganisation',
  'reorganisations_pending',
  'invalid_schema',
  'invalid_filter',
  'invalid_fields',
  'invalid_cursor',
  'cursor_too_long',
  'invalid_position',
  'position_unavailable',
] as const
