import { expect, test } from 'vitest'
import { parseTraceparent, traceparentOf } from '../../../db/runtime/tracing/traceparent.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

/** @see https://www.w3.org/TR/trace-context/#traceparent-header-field-values */
test.each([
  [`00-${TRACE}-${SPAN}-01`, 1],
  [`00-${TRACE}-${SPAN}-00`, 0],
  [`00-${TRACE}-${SPAN}-03`, 1], // another flag, which has no meaning here
  [`cc-${TRACE}-${SPAN}-01-what-a-later-version-adds`, 1],
])('%s names a span', (text, traceFlags) => {
  const context = parseTraceparent(text)
  expect(context).toEqual({ traceId: TRACE, spanId: SPAN, traceFlags, isRemote: true })
  expect(context && traceparentOf(context)).toBe(`00-${TRACE}-${SPAN}-0${traceFlags}`)
})

test.each([
  '',
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE}-${SPAN}-01 `,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
])('%s names none', (text) => {
  expect(parseTraceparent(text)).toBeUndefined()
})
