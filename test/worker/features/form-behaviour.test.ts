import { describe, expect, test } from 'vitest'
import { COLLECTED_AT, webFeaturesOf } from '../../support/feature-input.ts'

type Recorded = { t: number; type: string; [member: string]: unknown }

const behaviour = (events: Recorded[], rest: object = {}) => ({
  behaviour: { startedAt: COLLECTED_AT, durationMs: 60_000, activeMs: 30_000, events, ...rest },
})
const featuresOfEvents = (events: Recorded[], rest?: object) => webFeaturesOf(behaviour(events, rest))

describe('hesitation before fields', () => {
  const visit = (t: number, target: string, pauseMs: number, entry: object) => [
    { t, type: 'focus', target },
    { t: t + pauseMs, type: 'key', kind: 'letter', target, ...entry },
    { t: t + pauseMs + 900, type: 'key', kind: 'letter', target },
  ]

  test('is the median time from focus to the first entry', () => {
    const features = featuresOfEvents([
      ...visit(0, 'a', 400, {}),
      ...visit(2_000, 'b', 700, { type: 'paste' }),
      ...visit(4_000, 'c', 1_500, { type: 'change' }),
    ])
    expect(features.behaviour_field_hesitation_ms).toBe(700)
  })

  test('ignores keys that leave the field, entries by the browser, and visits without an entry', () => {
    const features = featuresOfEvents([
      { t: 0, type: 'focus', target: 'a' },
      { t: 100, type: 'key', kind: 'tab', target: 'a' },
      { t: 100, type: 'focus', target: 'b' },
      { t: 150, type: 'input', target: 'b', auto: true },
      { t: 500, type: 'key', kind: 'digit', target: 'b' },
      ...visit(2_000, 'c', 600, {}),
      ...visit(4_000, 'd', 800, {}),
    ])
    expect(features.behaviour_field_hesitation_ms).toBe(600) // 400, 600, 800
  })

  test('needs three fields', () => {
    const features = featuresOfEvents([...visit(0, 'a', 400, {}), ...visit(2_000, 'b', 700, {})])
    expect(features).not.toHaveProperty('behaviour_field_hesitation_ms')
  })
})

test('corrections are counted per field that was typed in', () => {
  const key = (target: string, kind: string, t: number) => ({ t, type: 'key', target, kind })
  const features = featuresOfEvents([
    key('a', 'letter', 1),
    key('a', 'backspace', 2),
    key('a', 'backspace', 3),
    key('b', 'digit', 4),
    key('c', 'delete', 5),
    key('d', 'space', 6),
    { t: 7, type: 'focus', target: 'e' },
  ])
  expect(features.behaviour_corrections_per_field).toBe(0.75)
  expect(features.behaviour_corrected_fields_share).toBe(0.5)
  expect(featuresOfEvents([])).not.toHaveProperty('behaviour_corrections_per_field')
})

describe('time to complete', () => {
  test('runs from the first to the last form event, without hidden time', () => {
    const features = featuresOfEvents([
      { t: 500, type: 'visibility', phase: 'hidden' },
      { t: 1_000, type: 'pointer', phase: 'move' },
      { t: 2_500, type: 'visibility', phase: 'visible' },
      { t: 2_000, type: 'focus', target: 'a' },
      { t: 4_000, type: 'key', target: 'a' },
      { t: 5_000, type: 'visibility', phase: 'hidden' },
      { t: 5_500, type: 'visibility', phase: 'hidden' },
      { t: 9_000, type: 'visibility', phase: 'visible' },
      { t: 12_000, type: 'submit' },
      { t: 20_000, type: 'scroll' },
    ])
    expect(features.behaviour_completion_s).toBe(5.5) // 10 s less 0.5 s and 4 s
    expect(features.behaviour_active_s).toBe(30)
  })

  test('needs two form events, and an active time within the session', () => {
    const features = featuresOfEvents([{ t: 1, type: 'focus', target: 'a' }], { activeMs: 60_001 })
    expect(features).not.toHaveProperty('behaviour_completion_s')
    expect(features).not.toHaveProperty('behaviour_active_s')
  })
})

describe('who filled the form', () => {
  const events: Recorded[] = [
    { t: 1, type: 'input', target: 'a', auto: true },
    { t: 1, type: 'change', target: 'a', auto: true, trusted: true },
    { t: 2, type: 'key', target: 'b', kind: 'letter' },
    { t: 3, type: 'input', target: 'c', trusted: false },
    { t: 4, type: 'paste', target: 'd' },
    { t: 5, type: 'focus', target: 'e', trusted: false },
    { t: 6, type: 'sensor', trusted: false },
    { t: 7, type: 'invalid', target: 'b' },
    { t: 8, type: 'submit', trusted: false },
    { t: 9, type: 'submit' },
  ]

  test('autofill is a share of fields, untrusted a share of user actions; submits and rejections are counted', () => {
    expect(featuresOfEvents(events)).toMatchObject({
      behaviour_autofill_share: 0.25,
      behaviour_untrusted_share: 3 / 8,
      behaviour_submits_count: 2,
      behaviour_invalid_count: 1,
    })
  })

  test('an SDK that does not report active time does not report them either', () => {
    const features = featuresOfEvents(events, { activeMs: null })
    for (const name of [
      'behaviour_autofill_share',
      'behaviour_untrusted_share',
      'behaviour_submits_count',
      'behaviour_invalid_count',
    ])
      expect(features).not.toHaveProperty(name)
  })

  test('events that users do not type in a field are no visits to it', () => {
    const features = featuresOfEvents([
      { t: 1, type: 'change', target: 'a', auto: true },
      { t: 2, type: 'invalid', target: 'b' },
      { t: 3, type: 'focus', target: 'c' },
    ])
    expect(features.behaviour_fields_count).toBe(1)
  })

  test('copying, wheels and submitting are actions; resizing and other pages are none', () => {
    const features = featuresOfEvents(
      [
        { t: 0, type: 'copy' },
        { t: 1_000, type: 'wheel', dy: 100 },
        { t: 2_000, type: 'resize' },
        { t: 3_000, type: 'page' },
        { t: 5_500, type: 'submit' },
      ],
      {},
    )
    expect(features.behaviour_longest_pause_s).toBe(4.5)
  })
})

describe('pasting into identity fields', () => {
  const pasteInto = (name: string, autocomplete?: string) =>
    webFeaturesOf({
      ...behaviour([{ t: 1, type: 'paste', target: name }]),
      web: { page: { fields: [{ name, ...(autocomplete && { autocomplete }) }] } },
    }).behaviour_identity_pastes_count

  test.each([
    'fullName',
    'first_name',
    'applicant[last-name]',
    'name',
    'surname',
    'email',
    'contactEmail',
    'e-mail',
    'phone',
    'phone2',
    'mobileNumber',
    'dateOfBirth',
    'dob',
    'nationalId',
    'passport_number',
    'ssn',
    'CPF',
    'correo',
  ])('%s is one', (name) => {
    expect(pasteInto(name)).toBe(1)
  })

  test.each([
    'referencePhone',
    'employerName',
    'username',
    'loanAmount',
    'bankAccount',
    'oneTimeCode',
    'filename',
    'panel',
    'addressLine',
  ])('%s is none', (name) => {
    expect(pasteInto(name)).toBe(0)
  })

  test.each([
    ['given-name', 1],
    ['section-a billing tel', 1],
    ['bday-day', 1],
    ['street-address', 0],
    ['one-time-code', 0],
  ])('autocomplete %s: %i', (autocomplete, count) => {
    expect(pasteInto('field7', autocomplete)).toBe(count)
  })

  test('each field counts once, by paste, drop or pasted input', () => {
    const features = featuresOfEvents([
      { t: 1, type: 'paste', target: 'email' },
      { t: 1, type: 'input', target: 'email', pasted: true },
      { t: 2, type: 'drop', target: 'phone' },
      { t: 3, type: 'input', target: 'dob', pasted: false },
      { t: 4, type: 'paste' },
    ])
    expect(features.behaviour_identity_pastes_count).toBe(2)
    expect(featuresOfEvents([]).behaviour_identity_pastes_count).toBe(0)
  })
})
