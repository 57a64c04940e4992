/** Written otherwise than by a capital at the front. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ os: 'OS', ram: 'RAM', sms: 'SMS', ip: 'IP', vpn: 'VPN', sim: 'SIM', id: 'ID' },
  ...{ gb: '(GB)', ms: '(ms)', px: '(px)', s: '(s)', days: '(days)', years: '(years)', hours: '(hours)' },
}

/** The name of a characteristic as people write: `device_os_age_years` is Device OS age (years). */
export function nameOfCharacteristic(name: string): string {
  if (!/^[a-z0-9_]+$/.test(name)) return name
  const words = name
    .split('_')
    .filter((word) => word !== '')
    .map((word, at) => (at === 0 ? (WORDS[word] ?? capital(word)) : (WORDS[word] ?? word)))
  return words.join(' ')
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
