/** 9999-12-31T23:59:59.999Z, the last time of RFC 3339. Records of other programs may have later ones. */
const lastMs = 253_402_300_799_999

export function formatTime(ms: number): string {
  return new Date(Math.min(ms, lastMs)).toISOString()
}

export function formatUnit(unit: number | null | undefined): string | null {
  return unit == null ? null : `${unit}`
}
