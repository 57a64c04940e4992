import type { Extracted, SessionInput } from './extractor.ts'

/** Tokens of `autocomplete` that ask for the identity of the user. */
const AUTOCOMPLETE =
  /(?:^|\s)(?:name|given-name|additional-name|family-name|email|tel(?:-national|-local|-area-code)?|bday(?:-day|-month|-year)?)(?:$|\s)/i

/** Words of field names: name, e-mail, telephone, birth and numbers of identity documents, also by country. */
const WORDS =
  /(?:^| )(?:(?:full|first|given|middle|last|family|maiden|legal|applicant|borrower|customer|client|your) ?names?|surname|fore ?name|nama|nombres?|apellidos?|sobrenome|e ?mail|correo|tel|telephone|phone|mobile|cell ?phone|telefono|telefone|celular|dob|birth|birthday|birth ?date|bday|nacimiento|nascimento|national id|(?:id|identity|tax|passport) number|ssn|passport|aadhaar|pan|nik|ktp|cpf|curp|rfc|dni|pesel|nino?|bvn|cccd)(?: |$)/

/** People and companies other than the user. */
const OTHERS =
  /(?:^| )(?:reference|referee|employer|company|business|bank|emergency|spouse|guarantor|friend|relative|kin)(?: |$)/

/**
 * Fields for the identity of the user that were filled by pasting or dropping. Each counts once.
 *
 * They are known by `autocomplete`, otherwise by their name. Few people paste their own name or date of birth.
 */
export function extractIdentityFields({
  capture: { web },
  events,
}: SessionInput): Extracted<'behaviour_identity_pastes_count'> {
  const pasted = new Set<string>()
  for (const event of events?.formEvents ?? []) {
    const { type } = event
    if (type === 'key' || type === 'focus') continue // most events
    if (type === 'paste' || type === 'drop' || (type === 'input' && event.pasted))
      if (event.target) pasted.add(event.target)
  }

  const autocompleteOf = new Map(
    pasted.size > 0 ? web?.page?.fields?.map(({ name, autocomplete }) => [name, autocomplete]) : [],
  )
  return {
    behaviour_identity_pastes_count: events
      ? [...pasted].filter((name) => isIdentity(name, autocompleteOf.get(name))).length
      : undefined,
  }
}

function isIdentity(name: string, autocomplete: string | null | undefined): boolean {
  if (autocomplete && AUTOCOMPLETE.test(autocomplete)) return true
  const words = splitWords(name)
  return !OTHERS.test(words) && (words === 'name' || WORDS.test(words))
}

/** Returns the words of `firstName`, `first_name`, `applicant[first-name]` in lower case, separated by spaces. */
const splitWords = (name: string): string =>
  name
    .slice(0, 200)
    .replace(/([a-z\d])(?=[A-Z])/g, '$1 ')
    .replace(/[^A-Za-z]+/g, ' ')
    .trim()
    .toLowerCase()
