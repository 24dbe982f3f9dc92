import type { ErrorCode, YAMLError } from 'yaml'

/**
 * What is wrong with text that is no YAML, in words for whoever wrote it. Nothing of the text is in them: it may hold
 * secrets.
 */
export function explainYamlMistake({ code, message }: YAMLError): string {
  const words = sentences[code] ?? missingCharacter(code, message)
  return words ?? 'This is no YAML. Check the indentation, and put texts with special characters in quotes.'
}

function missingCharacter(code: ErrorCode, message: string): string | undefined {
  if (code !== 'BAD_INDENT' && code !== 'MISSING_CHAR') return undefined
  const ends = /end with a ([\]}])/.exec(message)?.[1] ?? /closing (["'])/.exec(message)?.[1]
  if (ends !== undefined)
    return `Something that is opened has no end: a ${ends} is missing before this place. Add it where the value ends.`
  if (code === 'BAD_INDENT')
    return 'This line is not indented like those beside it. Give fields of one map the same indentation.'
  return message.includes('map values') ? noColon : undefined
}

const noColon = 'A line without a ":" is found where a field is expected. Write it as  name: value'
const twoOnALine =
  'A ":" is found inside a value, as if a field began there. Put each field on a line of its own, indented like those ' +
  'beside it, or put a text that holds ": " in quotes.'

const sentences: Partial<Record<ErrorCode, string>> = {
  BAD_DIRECTIVE: 'A line that begins with "%" is an instruction to YAML, and this one is unknown. Remove it.',
  BAD_DQ_ESCAPE: 'A text in double quotes holds a "\\" that means nothing. Write "\\\\", or use single quotes.',
  BAD_SCALAR_START: 'A text begins with a character that means something in YAML. Put the text in quotes.',
  BLOCK_AS_IMPLICIT_KEY: twoOnALine,
  BLOCK_IN_FLOW: 'A list or map begins on a line of its own inside [ ] or { }. Write it in brackets too.',
  DUPLICATE_KEY: 'This field is there twice. Keep one of them.',
  MULTILINE_IMPLICIT_KEY: noColon,
  MULTIPLE_DOCS:
    'A second document begins here with "---". A manifest is one document: remove the line and what follows.',
  TAG_RESOLVE_FAILED:
    'A tag, which begins with "!", is found, and it means nothing here. Remove it, or put the text in quotes.',
  TAB_AS_INDENT: 'A tab is found in the indentation. Indent with spaces.',
  UNEXPECTED_TOKEN:
    'This does not fit where it stands. Indent the fields of a map alike, and write nothing after a value.',
}
