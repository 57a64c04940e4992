/** The application form: starts to capture when the user agrees, and completes when the form is sent. */
const { key, endpoint } = document.body.dataset
const form = document.getElementById('application')
const consent = document.getElementById('consent')
const status = document.getElementById('status')
const button = form.querySelector('button')

const inkling = globalThis.Inkling.start({ key, endpoint, consent: 'pending' })

consent.addEventListener('change', () => {
  if (consent.checked) inkling.grant({ basis: 'consent' })
  else inkling.withdraw()
})

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  if (!consent.checked) {
    say('Sent. Without your consent nothing was recorded, so there is no insight.')
    return
  }
  button.disabled = true
  say('Sending…')
  try {
    const { id } = await inkling.complete()
    const response = await fetch('/demo/applications', { method: 'POST', body: id })
    if (!response.ok) throw new Error(await response.text())
    const { referenceNumber, insight } = await response.json()
    const link = document.createElement('a')
    Object.assign(link, { href: insight, textContent: referenceNumber })
    say('Thank you. Insight: ', link)
  } catch (error) {
    say(`It could not be sent: ${error.message}. Reload the page and try again.`)
    status.dataset.error = ''
  }
})

/** Shows a message to the user. */
function say(...parts) {
  delete status.dataset.error
  status.replaceChildren(...parts)
}
