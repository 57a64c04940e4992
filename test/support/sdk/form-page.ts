import type { Route } from './capture-site.ts'

/** Returns a page with a form that captures itself by the script of the service. `inkling` is what `start` returned. */
export const formPage = (
  { endpoint }: Pick<Route, 'endpoint'>,
  options: Record<string, unknown>,
  form = '<form><label>Full name <input name="full-name" autocomplete="name"></label></form>',
): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Apply</title>
<script nonce="NONCE">
  var violations = []
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => violations.push(violatedDirective + ' ' + blockedURI))
</script>
<script nonce="NONCE" src="/sdk/v1.js"></script>
<script nonce="NONCE">var inkling = Inkling.start(${JSON.stringify({ consent: 'granted', endpoint, ...options })})</script>
<h1>Apply</h1>
${form}
</html>`
