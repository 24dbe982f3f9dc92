/** Light on dark, as it is seen on a light page and on a dark one alike. */
export const ink = '#e6edf3'
export const paper = '#161b22'

/** A colour of a terminal as SVG takes it: one of the 16 that have names, of the cube of 216, or of the 24 greys. */
export function paletteColor(color: number | string): string {
  if (typeof color === 'string') return color
  if (color < named.length) return named[color]!
  if (color < firstGrey) {
    const levels = [36, 6, 1].map((step) => Math.floor((color - named.length) / step) % 6)
    return hex(levels.map((level) => (level === 0 ? 0 : 55 + 40 * level)))
  }
  const grey = 8 + 10 * (color - firstGrey)
  return hex([grey, grey, grey])
}

const named = [
  ...['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
  ...['#6e7681', '#ffa198', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#ffffff'],
]
const firstGrey = 232

function hex(channels: readonly number[]): string {
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}
