/** Formats a duration, rounded up to seconds: `4 s`, `4 min 20 s`, `2 h 5 min`. */
export function formatDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return join(Math.floor(seconds / 60), 'min', seconds % 60, 's')
  return join(Math.floor(seconds / 3600), 'h', Math.floor((seconds % 3600) / 60), 'min')
}

function join(whole: number, unit: string, part: number, partUnit: string): string {
  return part === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${part} ${partUnit}`
}
