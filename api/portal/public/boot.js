// Runs before the first paint. A separate file, since the content security policy forbids inline scripts.
{
  const root = document.documentElement

  // sets the colour scheme before the first paint, so that dark pages do not flash white
  const chosen = localStorage.getItem('mantine-color-scheme-value') || 'auto'
  const dark = chosen === 'dark' || (chosen === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches)
  root.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')

  // signed-in users see the frame of the pages in the shell (client/token-expiry.ts)
  if (localStorage.getItem('inkling.token-until')) root.dataset.signedIn = ''

  // When a script or stylesheet cannot be loaded, for example after a deployment: reloads at most once a minute (client/load-failure.ts),
  // otherwise shows a message and reloads when the files are available.
  const RELOADED_AT = 'inkling.reloaded-at'
  const retry = async () => {
    const page = await fetch(location.href, { headers: { Accept: 'text/html' }, cache: 'no-store' })
    const files = [...(await page.text()).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file]) => file)
    const responses = await Promise.all(files.map((file) => fetch(file, { method: 'HEAD', cache: 'no-store' })))
    if (files.length > 0 && responses.every(({ ok }) => ok)) location.reload()
  }
  const fail = () => {
    if (Date.now() - Number(sessionStorage.getItem(RELOADED_AT)) > 60_000) {
      sessionStorage.setItem(RELOADED_AT, String(Date.now()))
      location.reload()
    } else if (root.dataset.boot !== 'failed') {
      root.dataset.boot = 'failed'
      setInterval(() => retry().catch(() => undefined), 5_000)
    }
  }
  const isNeeded = (element) =>
    element instanceof HTMLScriptElement || (element instanceof HTMLLinkElement && element.rel === 'stylesheet')
  addEventListener('error', ({ target }) => isNeeded(target) && fail(), { capture: true })

  // no error, but no page either
  setTimeout(() => {
    root.dataset.boot ??= 'slow'
  }, 15_000)
}
