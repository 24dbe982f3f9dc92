import { describe, expect, it } from 'vitest'
import { parseJaasConfig } from './jaas-config.ts'

function options(text: string): Record<string, string> {
  return Object.fromEntries(parseJaasConfig(`some.Module ${text}`).options)
}

describe('sasl.jaas.config', () => {
  it.for([
    ['quoted values', 'required username="a b" password=";=/";', { username: 'a b', password: ';=/' }],
    ['single quotes and unquoted values', "required username='a' password=b-1;", { username: 'a', password: 'b-1' }],
    ['escapes in quotes', 'required password="\\"\\\\\\101\\n";', { password: '"\\A\n' }],
    ['comments', '/* a */ required // b\n password="//c";', { password: '//c' }],
    ['other control flags', 'OPTIONAL password="x" ;', { password: 'x' }],
    ['no options', 'required;', {}],
  ] as const)('may contain %s', ([, text, expected]) => {
    expect(options(text)).toEqual(expected)
    expect(parseJaasConfig(`some.Module ${text}`).loginModule).toBe('some.Module')
  })

  it.for([
    ['an empty value', '', /the login module is missing/],
    ['no control flag', 'm;', /the control flag "required" .* is missing/],
    ['an option in place of the flag', 'm password="hush";', /is not the control flag/],
    ['no semicolon', 'm required password="hush"', /";" after the value of password is missing/],
    ['no value', 'm required password=;', /the value of password is missing/],
    ['no equals sign', 'm required password "hush";', /"=" after password is missing/],
    ['an open quote', 'm required password="hush;', /a quote is not closed/],
    ['special characters without quotes', 'm required password=hush!;', /is not in quotes/],
    ['two modules', 'm required password="hush"; m required;', /more than one login module/],
  ] as const)('is refused with %s, and the message contains no value', ([, text, message]) => {
    expect(() => parseJaasConfig(text)).toThrow(message)
    expect(() => parseJaasConfig(text)).not.toThrow(/hush/)
  })
})
