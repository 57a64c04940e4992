/** Words with a fixed spelling. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ os: 'OS', ram: 'RAM', sms: 'SMS', ip: 'IP', vpn: 'VPN', sim: 'SIM', id: 'ID' },
  ...{ gb: '(GB)', ms: '(ms)', px: '(px)', s: '(s)', days: '(days)', years: '(years)', hours: '(hours)' },
}

/** Names that are not derived from the parts of the identifier. */
const NAMES: Readonly<Record<string, string>> = {
  time_hour_local: 'Local hour',
  time_weekend: 'Weekend',
  time_upload_delay_s: 'Upload delay (s)',
  velocity_device_datasets: 'Device uploads',
  velocity_device_clients: 'Clients of the device',
  velocity_client_datasets: 'Client uploads',
  velocity_client_devices: 'Devices of the client',
}

const WINDOWS: Readonly<Record<string, string>> = {
  ...{ '10m': '10 minutes', '1h': '1 hour', '24h': '24 hours', '7d': '7 days', '30d': '30 days' },
}

/** A readable name of a characteristic: Device OS age (years) for `device_os_age_years`. */
export function characteristicName(name: string): string {
  const known = NAMES[name]
  if (known !== undefined) return known
  const [, kind = '', window = ''] = /^velocity_(device|client)_(\w+)$/.exec(name) ?? []
  if (WINDOWS[window]) return `${capital(kind)} uploads, ${WINDOWS[window]}`
  if (!/^[a-z0-9_]+$/.test(name)) return name
  const words = name
    .split('_')
    .filter((word) => word !== '')
    .map((word, at) => (at === 0 ? (WORDS[word] ?? capital(word)) : (WORDS[word] ?? word)))
  return words.join(' ')
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
