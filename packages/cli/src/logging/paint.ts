import { styleText } from 'node:util'

/** How a part of a line is shown. */
export type Style = 'dim' | 'yellow' | 'red' | 'bold'

/** Gives a text a style where colours can be shown, and else as it is. */
export type Paint = (style: Style, text: string) => string

/** Colours on a terminal only. `NO_COLOR`, `NODE_DISABLE_COLORS` and `FORCE_COLOR` do what they do for Node itself. */
export function createPaint(stream: NodeJS.WritableStream): Paint {
  return (style, text) => styleText(style, text, { stream, validateStream: true })
}

export const plain: Paint = (_, text) => text
