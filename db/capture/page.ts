import { z } from 'zod'
import { CAPTURE_BOUNDS, count, longText, milliseconds, optional, text } from './scalars.ts'

/** A form field of a page. */
export const Field = z.object({
  name: text.describe('Name of the form field; never its value'),
  kind: optional(text, 'HTML type of the form field, such as text, number, email or select'),
  autocomplete: optional(text, 'Its autocomplete attribute, such as email, tel or bday'),
  required: optional(z.boolean(), 'Whether the form requires a value'),
  index: optional(count, 'Place among the fields in the order in which the SDK met them, from 0'),
})

/** A page that was shown. */
export const View = z.object({
  path: longText.describe('Path of the page, without query and fragment, at most 4,000 characters'),
  t: milliseconds.describe('Milliseconds since behaviour.startedAt'),
})

export const Page = z.object({
  origin: optional(longText, 'Origin of the page, location.origin, at most 4,000 characters'),
  path: optional(
    longText,
    'Path of the page, location.pathname, without query and fragment, at most 4,000 characters',
  ),
  referrerOrigin: optional(
    longText,
    'Origin of document.referrer, at most 4,000 characters; absent if there is none',
  ),
  navigationType: optional(
    text,
    'How the page was opened, PerformanceNavigationTiming.type: navigate, reload, back_forward or prerender',
  ),
  fields: optional(z.array(Field).max(CAPTURE_BOUNDS.listItems), 'Form fields of the page, at most 1,000'),
  views: optional(
    z.array(View).max(CAPTURE_BOUNDS.listItems),
    'Pages of the session in the order in which they were shown, at most 1,000',
  ),
})
