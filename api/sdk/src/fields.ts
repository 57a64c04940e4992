import { redact } from './redact.ts'
import type { Field } from './wire.ts'

/** Fields that the capture lists; later ones are not listed. */
const MAX_FIELDS = 500

/** Fields that take something in, besides elements with editable content. */
const FIELDS =
  'textarea,select,input:not([type=hidden],[type=submit],[type=button],[type=reset],[type=image])'

/** Types, autocomplete values, names and ids of fields for passwords, one-time codes and payment cards. */
const SECRET = /passw|passc|pwd|one-time-code|\bcc-|cv[cv]|csc|card.?num|(^|[^a-z])(pin|otp|tan)([^a-z]|$)/i

/** Shows dots instead of the text: all browsers have it, TypeScript does not know it. */
interface Masked extends CSSStyleDeclaration {
  readonly webkitTextSecurity?: string
}

/** Form fields as far as the SDK may know them. */
export interface Fields {
  /** Whether none of the elements in an event's path is ignored. Watches the shadow roots among them. */
  permits(path: readonly EventTarget[]): boolean
  /** Returns the redacted name of a form field; undefined for anything else. */
  nameOf(target: EventTarget | undefined): string | undefined
  /** Whether neither keys nor lengths may be recorded, by its names or its style: for good, once it was so. */
  isSecret(field: Element): boolean
  /** Describes the fields of the document that are not known yet. */
  scan(): void
}

/** The attribute itself: the controls of a form hide its properties. */
export const attributeOf = (element: Element, name: string): string => element.getAttribute(name) ?? ''

/**
 * @param listKnown returns the descriptions of the fields that were met, by place; the pages of a collection share them
 * @param meet is called with each field that is met first
 * @param signal ends the watching
 * @throws if `ignore` is not a selector.
 */
export function openFields(
  ignore: string | undefined,
  listKnown: () => string[],
  meet: (field: Field) => void,
  signal: AbortSignal,
): Fields {
  const ignored = `[data-inkling-ignore]${ignore ? `,${ignore}` : ''}`
  const secrets = new WeakSet<Node>()
  const names = new WeakMap<Node, string>()
  const watched = new WeakSet<Node>()

  // a field that shows its password on demand was one before
  const observer = new MutationObserver((mutations) => {
    for (const { target, oldValue } of mutations) if (SECRET.test(oldValue ?? '')) secrets.add(target)
  })
  signal.addEventListener('abort', () => observer.disconnect())

  function watch(root: Document | ShadowRoot): void {
    if (watched.has(root)) return
    watched.add(root)
    const attributeFilter = ['type', 'autocomplete']
    observer.observe(root, { attributeFilter, attributeOldValue: true, subtree: true })
    root.querySelectorAll('input').forEach(isSecret)
  }

  function isSecret(field: Element): boolean {
    const { type, id } = field as HTMLInputElement
    const names = [type, id, attributeOf(field, 'autocomplete'), attributeOf(field, 'name')]
    const { webkitTextSecurity } = getComputedStyle(field) as Masked
    if (SECRET.test(names.join(' ')) || webkitTextSecurity !== 'none') secrets.add(field)
    return secrets.has(field)
  }

  function describe(field: HTMLInputElement): string {
    const name = redact(attributeOf(field, 'name') || field.id)
    const kind = field.isContentEditable ? 'contenteditable' : field.type.replace(/-.*/, '')
    const key = `${kind} ${name}`
    const known = listKnown()
    names.set(field, name)
    isSecret(field) // it may stop to be one later
    if (!known.includes(key) && known.length < MAX_FIELDS)
      meet({
        ...{ name, kind, index: known.push(key) - 1 },
        autocomplete: redact(attributeOf(field, 'autocomplete')) || undefined,
        required: field.required || undefined,
      })
    return name
  }

  function nameOf(target: EventTarget | undefined): string | undefined {
    const field = target as HTMLInputElement
    return field instanceof Element && (field.matches(FIELDS) || (field as HTMLElement).isContentEditable)
      ? (names.get(field) ?? describe(field))
      : undefined
  }

  watch(document)

  return {
    nameOf,
    isSecret,
    permits: (path) =>
      path.every((one) => {
        if (one instanceof ShadowRoot) watch(one)
        return !(one instanceof Element && one.matches(ignored))
      }),
    scan: () => {
      for (const field of document.querySelectorAll(FIELDS)) if (!field.closest(ignored)) nameOf(field)
    },
  }
}
