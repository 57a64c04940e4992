import { type Html, html, type Part } from '../http/html.ts'

/** Pages that the navigation names. */
const PAGES = [
  ['/ops', 'Overview'],
  ['/ops/queue', 'Queue'],
] as const

/** A page for operators. */
interface Page {
  readonly title: string
  /** Address of the page, if the navigation names it. */
  readonly path?: string
  readonly content: Html
}

/** Renders a whole page: without scripts, for any width, in light and dark. */
export const layOut = ({ title, path, content }: Page): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Inkling: ${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/ops/style.css">
</head>
<body>
<nav aria-label="Pages">${PAGES.map(([address, name]) =>
    address === path
      ? html`<a href="${address}" aria-current="page">${name}</a>`
      : html`<a href="${address}">${name}</a>`,
  )}</nav>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.text

/** A column of a table. */
export interface Column<Row> {
  readonly head: string
  readonly cell: (row: Row) => Part
  readonly kind?: 'number' | 'reason'
}

/** Renders a table that can be scrolled sideways, also with the keyboard. @param label names it to a screen reader. */
export function table<Row>(label: string, columns: readonly Column<Row>[], rows: readonly Row[]): Html {
  if (rows.length === 0) return html`<p class="note">None</p>`
  const heads = columns.map(({ head, kind }) => html`<th scope="col"${classOf(kind)}>${head}</th>`)
  const cells = (row: Row) => columns.map(({ cell, kind }) => html`<td${classOf(kind)}>${cell(row)}</td>`)
  return html`<div class="table" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${heads}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${cells(row)}</tr>\n`)}</tbody></table></div>`
}

const classOf = (kind: string | undefined) => (kind === undefined ? undefined : html` class="${kind}"`)

/** Renders names with their values. */
export const facts = (all: readonly (readonly [name: string, value: Part])[]): Html =>
  html`<dl>${all.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
