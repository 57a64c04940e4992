// Runs before the first paint. A file of its own: inline scripts are forbidden.
{
  const root = document.documentElement

  // a dark page never flashes white
  const chosen = localStorage.getItem('mantine-color-scheme-value') || 'auto'
  const dark = chosen === 'dark' || (chosen === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches)
  root.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')

  // the shell shows the frame of the pages where somebody is signed in (client/token-time.ts)
  if (localStorage.getItem('inkling.token-until')) root.dataset.signedIn = ''

  // A script or stylesheet of this page cannot be loaded, as after a deployment: reloads once a minute at most (client/load-failure.ts),
  // otherwise shows a message, and reloads when the files are there.
  const RELOADED_AT = 'inkling.reloaded-at'
  const retry = async () => {
    const page = await fetch(location.href, { headers: { Accept: 'text/html' }, cache: 'no-store' })
    const files = [...(await page.text()).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file]) => file)
    const answers = await Promise.all(files.map((file) => fetch(file, { method: 'HEAD', cache: 'no-store' })))
    if (files.length > 0 && answers.every(({ ok }) => ok)) location.reload()
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

  // nothing fails, nothing comes
  setTimeout(() => {
    root.dataset.boot ??= 'slow'
  }, 15_000)
}
