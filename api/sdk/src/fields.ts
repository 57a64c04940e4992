import { redact } from './redact.ts'
import type { Field } from './wire.ts'

/** Fields that the capture lists; later ones are not listed. */
const MAX_FIELDS = 500

const SECRET_AUTOCOMPLETE = /\bcc-|one-time-code|-password/i
const SECRET_NAME = /passw|passcode|pwd|cvv|cvc|csc|card.?num|(^|[^a-z])(pin|otp|tan)([^a-z]|$)/i

/** Form fields as far as the SDK may know them. */
export interface Fields {
  /** Whether the element at the beginning of an event's path, or one around it, is to be ignored. */
  ignores(path: readonly EventTarget[]): boolean
  /** Returns the redacted name of a form field; undefined for anything else. */
  nameOf(target: EventTarget | undefined): string | undefined
  /** Whether neither keys nor lengths may be recorded: for good, once it was so. */
  isSecret(field: Element): boolean
  /** Marks and watches the secret fields of a document or shadow root. */
  watch(root: Node): void
  /** Describes all fields of the document that are not known yet. */
  scan(): void
  /** Ends the watching. */
  close(): void
}

/**
 * @param known describes each field that was met, by its place; shared by the pages of a collection
 * @param meet is called with each field that is met first
 * @throws if `ignore` is not a selector.
 */
export function openFields(ignore: string | undefined, known: string[], meet: (field: Field) => void): Fields {
  const ignored = `[data-inkling-ignore]${ignore ? `,${ignore}` : ''}`
  const secrets = new WeakSet<Element>()
  const names = new WeakMap<Element, string>()
  const watched = new WeakSet<Node>()
  document.createDocumentFragment().querySelector(ignored)

  // a field that shows its password on demand was one before
  const observer = new MutationObserver((mutations) => {
    for (const { target, oldValue } of mutations)
      if (oldValue === 'password' || SECRET_AUTOCOMPLETE.test(oldValue ?? '')) secrets.add(target as Element)
  })

  // not its properties: a form's controls can hide them
  const read = (element: Element, attribute: string) => element.getAttribute(attribute) ?? ''

  function isSecret(field: Element): boolean {
    if (
      (field as HTMLInputElement).type === 'password' ||
      SECRET_AUTOCOMPLETE.test(read(field, 'autocomplete')) ||
      SECRET_NAME.test(`${read(field, 'name')} ${read(field, 'id')}`)
    )
      secrets.add(field)
    return secrets.has(field)
  }

  function describe(field: HTMLInputElement): string {
    const name = redact(read(field, 'name') || read(field, 'id'))
    const kind = field.isContentEditable ? 'contenteditable' : field.type.replace(/-.*/, '')
    const key = `${kind} ${name}`
    names.set(field, name)
    // text that a style masks, as some pages do instead of a password field
    if ((getComputedStyle(field).getPropertyValue('-webkit-text-security') || 'none') !== 'none') secrets.add(field)
    isSecret(field)
    if (!known.includes(key) && known.length < MAX_FIELDS) {
      const autocomplete = redact(read(field, 'autocomplete'))
      meet({
        ...{ name, kind, index: known.length },
        ...(autocomplete && { autocomplete }),
        ...(field.required && { required: true }),
      })
      known.push(key)
    }
    return name
  }

  function nameOf(target: EventTarget | undefined): string | undefined {
    const field = target as HTMLInputElement
    if (!(target instanceof Element) || !(/^(INPUT|TEXTAREA|SELECT)$/.test(field.tagName) || field.isContentEditable))
      return
    if (/^(hidden|submit|button|reset|image)$/.test(field.type)) return
    return names.get(field) ?? describe(field)
  }

  return {
    nameOf,
    isSecret,
    ignores: (path) => path.some((one) => one instanceof Element && one.matches(ignored)),
    watch(root) {
      if (watched.has(root)) return
      watched.add(root)
      observer.observe(root, {
        attributeFilter: ['type', 'autocomplete'],
        attributeOldValue: true,
        subtree: true,
      })
      for (const field of (root as ParentNode).querySelectorAll('input')) isSecret(field)
    },
    scan() {
      for (const field of document.querySelectorAll('input,textarea,select'))
        if (!field.closest(ignored)) nameOf(field)
    },
    close: () => observer.disconnect(),
  }
}
