/** Style sheet of the pages; a file of its own, because the policy forbids inline styles. */
export const STYLE = `:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem }
h1 { font-size: 1.4rem; margin: 0; overflow-wrap: anywhere }
h2 { font-size: 1.05rem; margin: 2rem 0 .5rem }
p { margin: .25rem 0; max-width: 46rem }
a { color: inherit }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin-bottom: 1.25rem }
nav [aria-current] { font-weight: 600; text-decoration: none }
dl { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; margin: 1.5rem 0 0 }
dt, .note, th { color: color-mix(in srgb, currentColor 72%, transparent) }
dd { font-size: 1.6rem; font-variant-numeric: tabular-nums; margin: 0 }
div.table { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid color-mix(in srgb, currentColor 18%, transparent); padding: .35rem .75rem .35rem 0; text-align: left; vertical-align: top }
td { font-variant-numeric: tabular-nums }
th.number, td.number { text-align: right; white-space: nowrap }
td.reason { overflow-wrap: anywhere }
ul.attention { margin: .5rem 0; padding-left: 1.25rem }
[role=status] { border-left: .25rem solid #2a7d4f; margin: 1rem 0; padding: .25rem .75rem }
ul.actions { display: flex; flex-wrap: wrap; gap: .75rem; list-style: none; margin: .75rem 0; padding: 0 }
ul.actions a, form button { background: none; border: 1px solid currentColor; border-radius: .3rem; color: inherit; cursor: pointer; display: inline-block; font: inherit; padding: .35rem .9rem; text-decoration: none }
form { align-items: center; display: flex; flex-wrap: wrap; gap: .75rem 1.25rem; margin: 1.25rem 0 }
form button { border-width: 2px; font-weight: 600 }
:focus-visible { outline: 3px solid #3b82f6; outline-offset: 2px }
`
