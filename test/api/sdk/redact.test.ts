import { describe, expect, test } from 'vitest'
import { redact, redactPath } from '../../../api/sdk/src/redact.ts'

describe('names and paths lose what may name a person', () => {
  test.each([
    ['e-mail addresses', '/users/ann.lee+loan@example.org/edit', '/users/{email}/edit'],
    ['encoded e-mail addresses', '/users/ann%40example.org', '/users/{email}'],
    ['UUIDs', '/loans/7D444840-9dc0-11d1-b245-5ffdce74fad2/terms', '/loans/{uuid}/terms'],
    ['hashes', '/t/7d4448409dc011d1b2455ffdce74fad2', '/t/{uuid}'],
    ['four digits and more', '/loans/20391/step-2', '/loans/{digits}/step-2'],
    ['telephone numbers', 'call-555-123-4567', 'call-{digits}'],
    ['digits of other scripts', 'खाता १२३४५', 'खाता {digits}'],
    ['nothing else', '/apply/step-2/3rd-party', '/apply/step-2/3rd-party'],
  ])('%s', (_, text, redacted) => {
    expect(redact(text)).toBe(redacted)
  })

  test('the result is cut after that', () => {
    expect(redact(`${'x'.repeat(198)}12345`)).toBe(`${'x'.repeat(198)}{d`)
  })
})

test('paths have no origin, parameters, query or hash', () => {
  expect(redactPath('https://loans.example/apply;jsessionid=A1?mail=a@b.c#top')).toBe('/apply')
  expect(redactPath('/apply?next=/x')).toBe('/apply')
  expect(redactPath('//cdn.example/x')).toBe('//cdn.example/x')
  expect(redactPath('https://loans.example?a=1')).toBe('')
})
