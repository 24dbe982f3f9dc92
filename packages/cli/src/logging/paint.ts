import { styleText } from 'node:util'

export type Style = 'dim' | 'yellow' | 'red' | 'bold'

/** Styles a text, if the stream shows colours. */
export type Paint = (style: Style, text: string) => string

/** Colours on a terminal only, subject to `NO_COLOR`, `NODE_DISABLE_COLORS` and `FORCE_COLOR` as in Node itself. */
export function createPaint(stream: NodeJS.WritableStream): Paint {
  return (style, text) => styleText(style, text, { stream, validateStream: true })
}

export const plain: Paint = (_, text) => text
