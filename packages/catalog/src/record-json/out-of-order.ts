import { MalformedMessageError } from '../wire/wire-reader.ts'

/** What comes later in a message replaces what came before, so it has to be looked through before any is rendered. */
export const outOfOrder: MalformedMessageError = new MalformedMessageError('the fields do not lie in order')
