import type { Platform } from './capture.ts'

/** A feature's value; undefined if the dataset does not contain it. */
export type FeatureValue = number | boolean | string | undefined

/** The definition of a feature, for scorecards, analysts and `GET /features`. */
export interface FeatureDefinition {
  readonly type: 'number' | 'boolean' | 'category'
  /** SI or plain unit of a number; undefined for booleans and categories. */
  readonly unit?: string
  readonly description: string
  /** The part of a dataset that the feature is computed from. */
  readonly source: string
  readonly platforms: readonly Platform[]
}

const EVERY = ['android', 'ios', 'web'] as const
const MOBILE = ['android', 'ios'] as const
const ANDROID = ['android'] as const
const WEB = ['web'] as const

const number = (unit: string, source: string, platforms: readonly Platform[], description: string) =>
  ({ type: 'number', unit, description, source, platforms }) as const
const boolean = (source: string, platforms: readonly Platform[], description: string) =>
  ({ type: 'boolean', description, source, platforms }) as const
const category = (source: string, platforms: readonly Platform[], description: string) =>
  ({ type: 'category', description, source, platforms }) as const

/**
 * All features by name. A published name is never renamed: deployed scorecards refer to it.
 *
 * Ages, hours and days of week are measured at `collectedAt`; a value that the capture does not contain is missing, never 0.
 */
export const FEATURES = {
  device_brand: category('device.brand', EVERY, 'Brand of the device, in lower case'),
  device_os_major: number('version', 'device.osVersion', EVERY, 'Major version of the operating system'),
  device_os_age_years: number(
    'years',
    'device.osVersion',
    MOBILE,
    'Time since the first release of the OS major version',
  ),
  device_ram_total_gb: number('GB', 'device.ramTotalBytes', MOBILE, 'Memory of the device'),
  device_ram_free_share: number('share', 'device.ramFreeBytes', ANDROID, 'Free memory over total memory'),
  device_storage_total_gb: number('GB', 'device.storageTotalBytes', MOBILE, 'Storage of the device'),
  device_storage_free_share: number(
    'share',
    'device.storageFreeBytes',
    MOBILE,
    'Free storage over total storage',
  ),
  device_screen_megapixels: number('Mpx', 'device.screen, web.screen', EVERY, 'Pixels of the screen'),
  device_battery_level: number('share', 'device.battery', MOBILE, 'Charge of the battery'),
  device_charging: boolean('device.battery', MOBILE, 'Whether the device is charging'),
  device_uptime_hours: number('hours', 'device.bootedAt', MOBILE, 'Time since the device was started'),
  device_emulator: boolean('device.emulator', MOBILE, 'Whether the device is an emulator'),
  device_rooted: boolean('device.rooted', MOBILE, 'Whether the device is rooted or jailbroken'),
  device_developer_mode: boolean('device.developerMode', ANDROID, 'Whether developer options are on'),
  device_network_kind: category('device.network', MOBILE, 'Kind of network in use'),
  device_vpn: boolean('device.network', MOBILE, 'Whether a VPN is in use'),
  device_sim_count: number('cards', 'device.network', MOBILE, 'SIM cards in use'),
  device_language: category('device.locale', EVERY, 'Primary language subtag of the locale'),
  device_locale_zone_agree: boolean(
    'device.locale, device.timeZone',
    EVERY,
    "Whether the time zone is one of the locale's country",
  ),
  apps_count: number('apps', 'apps', ANDROID, 'Applications that the user installed'),
  apps_finance_count: number('apps', 'apps', ANDROID, 'Installed applications of category finance'),
  apps_finance_share: number(
    'share',
    'apps',
    ANDROID,
    'Finance applications among those that the user installed',
  ),
  apps_gambling_count: number('apps', 'apps', ANDROID, 'Installed applications for betting and gambling'),
  apps_social_count: number(
    'apps',
    'apps',
    ANDROID,
    'Installed applications of category social or communication',
  ),
  apps_productivity_count: number(
    'apps',
    'apps',
    ANDROID,
    'Installed applications of category productivity, business or education',
  ),
  apps_games_count: number('apps', 'apps', ANDROID, 'Installed applications of category game'),
  apps_categories_count: number(
    'categories',
    'apps',
    ANDROID,
    'Distinct categories among the applications that the user installed',
  ),
  apps_oldest_days: number(
    'days',
    'apps',
    ANDROID,
    'Time since the earliest install of an existing application',
  ),
  apps_installed_30d_count: number('apps', 'apps', ANDROID, 'Applications installed in the last 30 days'),
  apps_updated_30d_share: number(
    'share',
    'apps',
    ANDROID,
    'Applications updated in the last 30 days among those that the user installed',
  ),
  accounts_count: number('accounts', 'accounts', ANDROID, 'Accounts registered on the device'),
  accounts_types_count: number('types', 'accounts', ANDROID, 'Distinct kinds of account on the device'),
  permissions_granted_share: number(
    'share',
    'permissions',
    EVERY,
    'Granted permissions among those declared',
  ),
  permissions_granted_count: number('permissions', 'permissions', EVERY, 'Granted permissions'),
  contacts_count: number('contacts', 'contacts', MOBILE, 'Contacts on the device'),
  contacts_email_share: number('share', 'contacts', MOBILE, 'Contacts with an e-mail address'),
  calendar_events_count: number('events', 'calendar', MOBILE, 'Events in the calendar'),
  media_images_count: number('images', 'media.images', MOBILE, 'Images on the device'),
  media_images_span_days: number('days', 'media.images', MOBILE, 'Time between the first and the last image'),
  media_video_count: number('videos', 'media.video', MOBILE, 'Videos on the device'),
  sms_received_count: number('messages', 'sms', ANDROID, 'Messages received'),
  sms_sent_share: number('share', 'sms', ANDROID, 'Messages sent among all messages'),
  sms_span_days: number('days', 'sms', ANDROID, 'Time between the first and the last message'),
  behaviour_duration_s: number('s', 'behaviour', EVERY, 'Duration of the recorded session'),
  behaviour_keys_count: number('keys', 'behaviour', EVERY, 'Keys pressed'),
  behaviour_key_dwell_ms: number('ms', 'behaviour', EVERY, 'Median time from press to release of a key'),
  behaviour_key_flight_ms: number(
    'ms',
    'behaviour',
    EVERY,
    'Median time from the release of a key to the press of the next',
  ),
  behaviour_key_flight_variation: number(
    'ratio',
    'behaviour',
    EVERY,
    'Interquartile range of flight times over their median',
  ),
  behaviour_correction_share: number('share', 'behaviour', EVERY, 'Backspace and delete keys among all keys'),
  behaviour_pastes_count: number('pastes', 'behaviour', EVERY, 'Fields filled by pasting'),
  behaviour_hesitation_share: number(
    'share',
    'behaviour',
    EVERY,
    'Share of the session spent in pauses over 3 s between actions',
  ),
  behaviour_longest_pause_s: number('s', 'behaviour', EVERY, 'Longest pause between two actions'),
  behaviour_fields_count: number('fields', 'behaviour', EVERY, 'Distinct form fields focused or typed in'),
  behaviour_refocus_share: number(
    'share',
    'behaviour',
    EVERY,
    'Focus events that return to a field visited before',
  ),
  behaviour_identity_pastes_count: number(
    'fields',
    'behaviour, web.page',
    EVERY,
    'Fields for name, e-mail, telephone, birth or identity number that were filled by pasting',
  ),
  behaviour_field_hesitation_ms: number(
    'ms',
    'behaviour',
    EVERY,
    'Median time from the focus of a form field to the first entry in it',
  ),
  behaviour_corrections_per_field: number(
    'keys',
    'behaviour',
    EVERY,
    'Backspace and delete keys per form field that was typed in',
  ),
  behaviour_corrected_fields_share: number(
    'share',
    'behaviour',
    EVERY,
    'Form fields with a backspace or delete key among those typed in',
  ),
  behaviour_completion_s: number(
    's',
    'behaviour',
    EVERY,
    'Time from the first to the last event in a form, without the time that the page or application was hidden',
  ),
  behaviour_active_s: number('s', 'behaviour.activeMs', WEB, 'Time that the page was visible and in use'),
  behaviour_submits_count: number('times', 'behaviour', WEB, 'Times that a form was submitted'),
  behaviour_invalid_count: number(
    'times',
    'behaviour',
    WEB,
    'Times that a form rejected the value of a field',
  ),
  behaviour_autofill_share: number(
    'share',
    'behaviour',
    WEB,
    'Form fields that the browser filled among those filled',
  ),
  behaviour_untrusted_share: number(
    'share',
    'behaviour',
    WEB,
    'Events that a script made among those of the user',
  ),
  behaviour_touch_pressure: number('pressure', 'behaviour', MOBILE, 'Median pressure of touches'),
  behaviour_touch_size_px: number('px', 'behaviour', MOBILE, 'Median size of touches'),
  behaviour_touch_speed_px_s: number(
    'px/s',
    'behaviour',
    MOBILE,
    'Median speed of swipes, from start to end of a touch',
  ),
  behaviour_pointer_speed_px_s: number(
    'px/s',
    'behaviour',
    WEB,
    'Median speed of the pointer between move events',
  ),
  behaviour_pointer_straightness: number(
    'ratio',
    'behaviour',
    WEB,
    'Straight distance over path length of the pointer, between clicks',
  ),
  behaviour_hidden_count: number(
    'times',
    'behaviour',
    EVERY,
    'Times that the page or application was hidden',
  ),
  web_browser: category(
    'web.browser',
    WEB,
    'Name of the browser, or of the application whose web view shows the page, in lower case; read from the user agent if the SDK does not give it',
  ),
  web_browser_major: number('version', 'web.browser', WEB, 'Major version of the browser'),
  web_hardware_concurrency: number(
    'threads',
    'web.browser',
    WEB,
    'Logical processors reported by the browser',
  ),
  web_languages_count: number('languages', 'web.browser', WEB, 'Languages that the browser prefers'),
  web_webdriver: boolean('web.browser', WEB, 'Whether the browser reports that a program controls it'),
  web_automation: boolean(
    'web.browser',
    WEB,
    'Whether the browser shows a mark of automation, reports that a program controls it, or is headless',
  ),
  web_automation_count: number('marks', 'web.browser', WEB, 'Distinct marks of automation in the browser'),
  web_in_app: boolean('web.browser', WEB, 'Whether the user agent is that of a web view in an application'),
  web_embedded: boolean('web.browser', WEB, 'Whether the page runs in a frame or in a web view'),
  web_touch_points: number('contacts', 'web.browser', WEB, 'Touch contacts that the screen tells apart'),
  web_network_type: category('web.network', WEB, 'Speed class of the connection: slow-2g, 2g, 3g or 4g'),
  web_software_rendering: boolean(
    'web.graphics',
    WEB,
    'Whether graphics are rendered without a graphics processor, as in virtual machines',
  ),
  web_user_agent_header_agree: boolean(
    'web.browser, collection.request',
    WEB,
    'Whether the script and the request have the same user agent',
  ),
  web_user_agent_hints_agree: boolean(
    'web.browser, collection.request',
    WEB,
    'Whether client hints and user agent have the same version, mobile flag and system',
  ),
  web_languages_header_agree: boolean(
    'web.browser, collection.request',
    WEB,
    'Whether the script and the request prefer the same language',
  ),
  web_languages_zone_agree: boolean(
    'web.browser, device.timeZone',
    WEB,
    'Whether the time zone is one of a country of the preferred languages',
  ),
  web_zone_utc: boolean('device.timeZone', WEB, 'Whether the time zone is UTC, as on servers'),
  web_touch_mobile_agree: boolean(
    'web.browser, collection.request',
    WEB,
    'Whether a browser that claims to be mobile has a touch screen; true for other browsers',
  ),
  web_viewport_fits_screen: boolean(
    'web.viewport, web.screen',
    WEB,
    'Whether the visible part of the page is not larger than the screen',
  ),
  web_fields_count: number('fields', 'web.page', WEB, 'Form fields on the page'),
  web_page_views_count: number('pages', 'web.page', WEB, 'Pages shown in the session'),
  web_collection_level: category(
    'collection',
    WEB,
    'How the reference number of the collection was given: open, claimed or verified',
  ),
  web_collection_complete: boolean(
    'collection',
    WEB,
    'Whether the page completed the collection; otherwise it stopped sending',
  ),
  web_segments_missing_count: number('segments', 'collection', WEB, 'Segments sent and not received'),
  web_consent_given: boolean('consent', WEB, 'Whether the user consented to the collection'),
  time_hour_local: number(
    'hour',
    'collectedAt, device.timeZone',
    EVERY,
    'Hour of day on the clock of the device, 0 to 23',
  ),
  time_weekend: boolean(
    'collectedAt, device.timeZone',
    EVERY,
    'Whether it is Saturday or Sunday on the clock of the device',
  ),
  time_upload_delay_s: number(
    's',
    'collectedAt',
    EVERY,
    'Time from the capture to its upload; negative if the clock of the device is ahead',
  ),
  ip_known: boolean('realIp', EVERY, 'Whether the address of the end user is known'),
  ip_version: number('version', 'realIp', EVERY, '4 or 6'),
  ip_private: boolean(
    'realIp',
    EVERY,
    'Whether the address is private, loopback, link-local or carrier-grade NAT',
  ),
  velocity_device_datasets: number(
    'datasets',
    'velocity',
    EVERY,
    'Datasets of the same device so far, this one included',
  ),
  velocity_device_10m: number(
    'datasets',
    'velocity',
    EVERY,
    'Datasets of the same device in the last 10 minutes, this one included',
  ),
  velocity_device_1h: number(
    'datasets',
    'velocity',
    EVERY,
    'Datasets of the same device in the last hour, this one included',
  ),
  velocity_device_24h: number(
    'datasets',
    'velocity',
    EVERY,
    'Datasets of the same device in the last 24 hours, this one included',
  ),
  velocity_device_7d: number(
    'datasets',
    'velocity',
    EVERY,
    'Datasets of the same device in the last 7 days, this one included',
  ),
  velocity_device_30d: number(
    'datasets',
    'velocity',
    EVERY,
    'Datasets of the same device in the last 30 days, this one included',
  ),
  velocity_device_clients: number(
    'clients',
    'velocity',
    EVERY,
    'Distinct clients seen on the device, when the client of this dataset was counted',
  ),
  velocity_client_datasets: number(
    'datasets',
    'velocity',
    EVERY,
    'Datasets of the same client so far, this one included',
  ),
  velocity_client_devices: number(
    'devices',
    'velocity',
    EVERY,
    'Distinct devices seen with the client, when this dataset was counted',
  ),
  velocity_client_10m: number(
    'datasets',
    'velocity',
    EVERY,
    'Datasets of the same client in the last 10 minutes, this one included',
  ),
  velocity_client_1h: number(
    'datasets',
    'velocity',
    EVERY,
    'Datasets of the same client in the last hour, this one included',
  ),
  velocity_client_24h: number(
    'datasets',
    'velocity',
    EVERY,
    'Datasets of the same client in the last 24 hours, this one included',
  ),
  velocity_client_7d: number(
    'datasets',
    'velocity',
    EVERY,
    'Datasets of the same client in the last 7 days, this one included',
  ),
  velocity_client_30d: number(
    'datasets',
    'velocity',
    EVERY,
    'Datasets of the same client in the last 30 days, this one included',
  ),
  info_keys_count: number('keys', 'additionalInfo', EVERY, 'Keys of Additional Info saved for the dataset'),
  info_client_known: boolean('additionalInfo', EVERY, 'Whether Additional Info names the client (clientId)'),
} as const satisfies Record<string, FeatureDefinition>

export type FeatureName = keyof typeof FEATURES

/** The features of one dataset; a missing feature is undefined or absent. */
export type Features = { -readonly [N in FeatureName]?: FeatureValue }

/** Whether a feature of this name exists. */
export function isFeatureName(name: string): name is FeatureName {
  return Object.hasOwn(FEATURES, name)
}
