import { expect, test } from 'vitest'
import { findPasswordFault } from '../../api/account/password-rules.ts'
import { estimateStrength } from '../../api/portal/parts/password-strength.ts'

const EMAIL = 'ann.miller@lender.example'

test.each([
  ['1234567890', 'common'],
  ['qwertyuiop12', 'common'],
  ['Password1234', 'common'],
  ['P@ssw0rd!2024', 'common'],
  ['pass word pass word', 'common'],
  ['---dragon2026', 'common'],
  ['aaaaaaaaaaaaaaaa', 'common'],
  ['abcabcabcabcabc', 'common'],
  ['Ann.Miller@Lender.Example', 'your e-mail'],
  ['annmiller2026', 'your e-mail'],
  ['Ann_Miller-Ann_Miller', 'your e-mail'],
  ['Lender.Example', 'your e-mail'],
  ['lender-lender', 'your e-mail'],
  ['Inkling-2026!', 'this service'],
  ['inkling.inkling', 'this service'],
  ['scorecard202', 'this service'],
])('%s is rejected', async (password, fault) => {
  expect(await findPasswordFault(password, EMAIL)).toContain(fault)
})

test.each([
  ['correct horse battery staple', 'strong'],
  ['k3#Vq9!xTz2p', 'strong'],
  ['shoe lamp rivers', 'strong'],
  ['abc1937462985', 'fair'],
  ['ann.miller likes tea', 'strong'],
] as const)('%s is accepted, and shown as %s', async (password, strength) => {
  expect(await findPasswordFault(password, EMAIL)).toBeUndefined()
  expect(estimateStrength(password)).toBe(strength)
})

test.each([
  ['k3#Vq9!xTz2', 'short'],
  ['abcdefghijklmnop', 'weak'],
  ['qwertyuiopas', 'fair'],
] as const)('the strength of %s is shown as %s', (password, strength) => {
  expect(estimateStrength(password)).toBe(strength)
})
