/** One timed event; `t` is in milliseconds since `behaviour.startedAt`. Never a character of what was typed. */
export interface CaptureEvent {
  t: number
  type: string
  /** Name of the form field, of the form (submit), or path (page). */
  target?: string
  kind?: string
  dwellMs?: number
  flightMs?: number
  length?: number
  pasted?: true
  /** The browser filled the field. */
  auto?: true
  phase?: string
  finger?: number
  pointer?: string
  button?: number
  x?: number
  y?: number
  dx?: number
  dy?: number
  pressure?: number
  sizePx?: number
  /** Absent for events that the browser made. */
  trusted?: false
}

/** A form field; never its value. */
export interface Field {
  name: string
  kind: string
  autocomplete?: string
  required?: true
  /** Place in the order in which the SDK met the fields of the collection, from 0. */
  index: number
}

/** A page that was shown. */
export interface View {
  path: string
  t: number
}

export interface Consent {
  /** Legal basis, such as `consent` or `contract`. */
  basis?: string
  /** ISO 8601. */
  at?: string
  /** Version or address of the privacy policy that the user was shown. */
  policy?: string
}

/** What a page knows of the device by other means, such as a web view by its application. */
export interface HostFacts {
  brand?: string
  model?: string
  osVersion?: string
  locale?: string
  timeZone?: string
}

/** Hashes of what the browser renders, and the graphics processor. */
export interface Graphics {
  canvasHash?: string
  webglHash?: string
  webglVendor?: string
  webglRenderer?: string
  audioHash?: string
  fontsHash?: string
}

interface Brand {
  brand: string
  version: string
}

/** What the SDK reads of the browser, by the names of the capture format. */
export interface Facts {
  sdk?: { version: string; modules: string[] }
  device?: HostFacts
  permissions?: { name: string; granted: boolean }[]
  consent?: Consent
  web?: {
    browser?: {
      userAgent?: string
      languages?: readonly string[]
      cookiesEnabled?: boolean
      hardwareConcurrency?: number
      deviceMemoryGb?: number
      webdriver?: boolean
      brands?: Brand[]
      mobile?: boolean
      platform: string
      vendor?: string
      touchPoints?: number
      pdfViewer?: boolean
      gpc?: boolean
      storage: { local: boolean; session: boolean; indexedDb: boolean }
      automation: string[]
      embedded: boolean
    }
    screen?: {
      widthPx: number
      heightPx: number
      density: number
      orientation?: number
      availWidthPx: number
      availHeightPx: number
      colorDepth: number
    }
    viewport?: { widthPx: number; heightPx: number }
    preferences?: {
      colorScheme: string
      reducedMotion: boolean
      contrast: string
      forcedColors: boolean
      reducedData: boolean
    }
    network?: { effectiveType?: string; rttMs?: number; downlinkMbps?: number; saveData?: boolean }
    graphics?: Graphics
    page?: { origin: string; path: string; referrerOrigin?: string; navigationType?: string }
  }
}

/** Running totals of a collection. */
export interface Behaviour {
  /** ISO 8601, by the clock of the device. */
  startedAt: string
  durationMs: number
  /** Time in which events were at most 30 s apart. */
  activeMs: number
  /** Shortest time between two events: the clock is at least this fine. */
  resolutionMs?: number
  dropped: number
}

/** What the SDK sends, every 5 s or 16 KB while there is anything to send. */
export interface Segment {
  v: 1
  n: number
  /** Milliseconds since 1970, by the clock of the device. */
  at: number
  facts?: Facts
  fields?: Field[]
  views?: View[]
  behaviour: Behaviour
  events: CaptureEvent[]
}
