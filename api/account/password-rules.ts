import { Problem } from '../http/problem.ts'

let commonPasswords: Promise<ReadonlySet<string>> | undefined

/** Returns 49,233 passwords, the most common ones of published leaks; 5 MB of memory. Loaded with the first new password, since most processes see none. */
function listCommon(): Promise<ReadonlySet<string>> {
  commonPasswords ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  )
  return commonPasswords
}

/** Words that anybody would try here: of the product and its roles. The user's e-mail comes on top. @see docs/sign-in.md */
const CONTEXT: readonly string[] = [
  'inkling',
  'administrator',
  'admin',
  'analyst',
  'operator',
  'uploader',
  'requester',
  'scorecard',
]

/** Substitutions that guessing programs try as well. */
const LETTERS: Readonly<Record<string, string>> = {
  '@': 'a',
  $: 's',
  '!': 'i',
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
}

/** A repeated unit of this length is rejected whatever it is. */
const MAX_TRIVIAL_UNIT = 3

const normalize = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s._-]/g, '')

/**
 * Returns why a new password is rejected; undefined if it is not. Rejects common passwords, the user's e-mail or a part of it, and
 * words of the product, also in other case, with substituted or repeated characters, or with digits and symbols around them that make up less than half.
 *
 * @see NIST SP 800-63B, section 5.1.1.2
 */
export async function findPasswordFault(password: string, email: string): Promise<string | undefined> {
  const base = normalize(password)
  const [, unit] = /^(.+?)\1+$/s.exec(base) ?? []
  const core = (unit ?? base).replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  const forms = [base, unit ?? base, core, unleet(core), unleet(base)].filter(
    (form) => form.length * 2 >= (unit ?? base).length,
  )
  const at = email.lastIndexOf('@')
  const domain = email.slice(at + 1)
  const own = [email, email.slice(0, at), domain, ...domain.split('.')].map(normalize)
  if (forms.some((form) => own.includes(form))) return 'must not be your e-mail or a part of it'
  if (forms.some((form) => CONTEXT.includes(form))) return 'must not be a word of this service'
  const isTrivial = unit !== undefined && unit.length <= MAX_TRIVIAL_UNIT
  const common = await listCommon()
  if (isTrivial || forms.some((form) => common.has(form)))
    return 'must not be a common password, nor one with some digits or symbols added'
  return undefined
}

const unleet = (text: string) =>
  text.replaceAll(/[@$!013457]/g, (character) => LETTERS[character] ?? character)

/** @throws Problem `validation_failed`, at `member`, if the password of this user is rejected. */
export async function requireAcceptablePassword(
  member: string,
  password: string,
  email: string,
): Promise<void> {
  const fault = await findPasswordFault(password, email)
  if (fault !== undefined) throw new Problem('validation_failed', { errors: { [member]: [fault] } })
}
