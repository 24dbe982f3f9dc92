import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { formatAnnotation } from './github-annotation.ts'

test('what would end an annotation or a property is escaped', () => {
  const annotation = formatAnnotation({
    severity: 'error',
    code: 'unknown_field',
    file: resolve('a,b:c/manifest.yaml'),
    line: 3,
    column: 7,
    message: '100% wrong:\nfix it, please',
  })
  expect(annotation).toBe(
    '::error file=a%2Cb%3Ac/manifest.yaml,line=3,col=7,title=unknown_field::100%25 wrong:%0Afix it, please\n',
  )
})
