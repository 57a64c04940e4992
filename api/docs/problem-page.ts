import { STATUS_CODES } from 'node:http'
import { Html, html } from '../http/html.ts'
import { PROBLEM_CODES, PROBLEMS, type ProblemCode } from '../http/problem.ts'
import { PROBLEM_HELP, RETRY_RULES, type Retry } from '../http/problem-help.ts'
import { helpPath } from '../http/problem-type.ts'
import { exampleOfProblem } from './example-of-problem.ts'

/** Help for a problem, as programs and the pages get it. */
export interface ProblemEntry {
  /** The `title` of the problem. */
  readonly code: ProblemCode
  readonly status: number
  /** The default `detail`. */
  readonly detail: string
  readonly meaning: string
  readonly retry: Retry
  readonly remedy: string
  /** Body of a response. */
  readonly example: object
}

/** Returns the help for a problem. */
export function describeEntry(code: ProblemCode): ProblemEntry {
  const [status, detail] = PROBLEMS[code]
  return { code, status, detail, ...PROBLEM_HELP[code], example: exampleOfProblem(code) }
}

/** The only style of the pages; their policy allows it by its hash. */
export const PROBLEM_STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
dt { font-weight: 600; margin-top: 1rem }
dd { margin: 0 }
table { border-collapse: collapse }
th, td { text-align: start; vertical-align: top; padding: .25rem 1rem .25rem 0 }
pre { overflow-x: auto; border: 1px solid; padding: 1rem }
`

const page = (title: string, content: Html) =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(PROBLEM_STYLE)}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`.text

/** Returns the page of a problem: when it occurs, whether to retry, what to do, an example. */
export function renderProblem({
  code,
  status,
  detail,
  meaning,
  retry,
  remedy,
  example,
}: ProblemEntry): string {
  const parts = [
    ['Status', `${status} ${STATUS_CODES[status]}`],
    ['Detail', detail],
    ['When it occurs', meaning],
    ['Retry', `${RETRY_RULES[retry]}.`],
    ['What to do', remedy],
  ]
  return page(
    code,
    html`<p><a href="/problems">All problems</a></p>
<h1>${code}</h1>
<dl>
${parts.map(([term, text]) => html`<dt>${term}</dt><dd>${text}</dd>\n`)}
</dl>
<h2>Example</h2>
<pre tabindex="0">${JSON.stringify(example, null, 2)}</pre>`,
  )
}

/** Returns the page that lists all problems. */
export const renderProblems = (): string =>
  page(
    'Problems',
    html`<h1>Problems</h1>
<p>Every error of the API is a problem (RFC 9457), whose <code>title</code> is one of these.</p>
<table>
<thead><tr><th>Title</th><th>Status</th><th>Retry</th></tr></thead>
<tbody>
${PROBLEM_CODES.map((code) => {
  const { status, retry } = describeEntry(code)
  return html`<tr><td><a href="${helpPath(code)}">${code}</a></td><td>${status}</td><td>${RETRY_RULES[retry]}</td></tr>\n`
})}
</tbody>
</table>`,
  )
