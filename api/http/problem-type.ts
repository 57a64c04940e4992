import type { Problem, ProblemCode } from './problem.ts'

/** Section of RFC 9110 that defines each status, except those of RFC 6585. */
const SECTIONS: Readonly<Record<number, string>> = {
  400: '15.5.1',
  401: '15.5.2',
  403: '15.5.4',
  404: '15.5.5',
  405: '15.5.6',
  408: '15.5.9',
  409: '15.5.10',
  410: '15.5.11',
  413: '15.5.14',
  415: '15.5.16',
  417: '15.5.18',
  422: '15.5.21',
  500: '15.6.1',
  503: '15.6.4',
}

const RFC_6585_SECTIONS: Readonly<Record<number, string>> = { 429: '4', 431: '5' }

/** The path of the page that explains a problem. */
export const helpPath = (code: ProblemCode): string => `/problems/${code}`

/** The value of the header `Link` that leads from a problem to its page. @see RFC 8288 */
export const helpLink = (code: ProblemCode): string => `<${helpPath(code)}>; rel="help"`

/**
 * Returns the `type` of a problem: its page at the public address of the service or, without one, the section of the standard that
 * defines its status. The Host of a request is chosen by whoever forwards it, so it is not the base of a URI that programs keep.
 *
 * @param origin the origin of PUBLIC_URL.
 * @see RFC 9457, section 3.1.1
 */
export function typeOfProblem({ code, status }: Pick<Problem, 'code' | 'status'>, origin?: string): string {
  if (origin !== undefined) return origin + helpPath(code)
  return status in RFC_6585_SECTIONS
    ? `https://www.rfc-editor.org/rfc/rfc6585#section-${RFC_6585_SECTIONS[status]}`
    : `https://www.rfc-editor.org/rfc/rfc9110#section-${SECTIONS[status] ?? '15'}`
}
