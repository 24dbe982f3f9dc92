import type { ErrorCode, YAMLError } from 'yaml'

/** Does not quote the file, which may contain secrets. */
export function explainYamlMistake({ code, message }: YAMLError): string {
  const explanation = sentences[code] ?? missingCharacter(code, message)
  return (
    explanation ?? 'This is not valid YAML. Check the indentation, and put strings with special characters in quotes.'
  )
}

function missingCharacter(code: ErrorCode, message: string): string | undefined {
  if (code !== 'BAD_INDENT' && code !== 'MISSING_CHAR') return undefined
  const ends = /end with a ([\]}])/.exec(message)?.[1] ?? /closing (["'])/.exec(message)?.[1]
  if (ends !== undefined) return `A ${ends} is missing before this place. Add it at the end of the value.`
  if (code === 'BAD_INDENT')
    return 'This line has another indentation than its neighbours. Use the same indentation for all fields of a map.'
  return message.includes('map values') ? noColon : undefined
}

const noColon = 'A field is expected here, but the line has no ":". Write it as  name: value'
const twoOnALine =
  'A ":" is inside a value. Write each field on its own line, with the indentation of the other fields, or put a string ' +
  'that contains ": " in quotes.'

const sentences: Partial<Record<ErrorCode, string>> = {
  BAD_DIRECTIVE: 'A line that begins with "%" is a YAML directive, and this one is unknown. Remove it.',
  BAD_DQ_ESCAPE:
    'A string in double quotes contains an unknown escape. Write "\\\\" for a backslash, or use single quotes.',
  BAD_SCALAR_START: 'A string begins with a character that has a meaning in YAML. Put the string in quotes.',
  BLOCK_AS_IMPLICIT_KEY: twoOnALine,
  BLOCK_IN_FLOW: 'A list or map inside [ ] or { } must be in brackets as well.',
  DUPLICATE_KEY: 'This field exists twice. Remove one of them.',
  MULTILINE_IMPLICIT_KEY: noColon,
  MULTIPLE_DOCS:
    'A second document begins here with "---". A manifest is one document: remove the line and what follows.',
  TAG_RESOLVE_FAILED: 'Tags, which begin with "!", are not supported. Remove it, or put the string in quotes.',
  TAB_AS_INDENT: 'The indentation contains a tab. Use spaces.',
  UNEXPECTED_TOKEN:
    'This is not allowed here. Use the same indentation for all fields of a map, and write nothing after a value.',
}
