import type { CatalogPermission } from './catalog.ts'

/**
 * The Android permissions that the Permission fragment lists, in its order.
 *
 * Permissions that several modules need (all of storage) belong to `core`. The call log belongs to `contact`: Android has
 * both in one provider, and one permission guarded both before API level 16.
 *
 * @see https://developer.android.com/reference/android/Manifest.permission "Added in API level"
 */
export const ANDROID_PERMISSIONS: readonly CatalogPermission[] = [
  { name: 'android.permission.INTERNET', module: 'core', since: 1 },
  { name: 'android.permission.ACCESS_NETWORK_STATE', module: 'core', since: 1 },
  { name: 'android.permission.RECEIVE_BOOT_COMPLETED', module: 'core', since: 1 },
  { name: 'android.permission.FOREGROUND_SERVICE', module: 'core', since: 28 },
  { name: 'android.permission.POST_NOTIFICATIONS', module: 'core', since: 33 },
  { name: 'android.permission.USE_FINGERPRINT', module: 'core', since: 23 },
  { name: 'android.permission.USE_BIOMETRIC', module: 'core', since: 28 },
  { name: 'android.permission.WRITE_EXTERNAL_STORAGE', module: 'core', since: 4 },
  { name: 'android.permission.READ_EXTERNAL_STORAGE', module: 'core', since: 16 },
  { name: 'android.permission.MANAGE_EXTERNAL_STORAGE', module: 'core', since: 30 },
  { name: 'android.permission.READ_MEDIA_VISUAL_USER_SELECTED', module: 'core', since: 34 },
  { name: 'android.permission.PACKAGE_USAGE_STATS', module: 'application', since: 23 },
  { name: 'android.permission.QUERY_ALL_PACKAGES', module: 'application', since: 30 },
  { name: 'android.permission.GET_ACCOUNTS', module: 'account', since: 1 },
  { name: 'android.permission.HIGH_SAMPLING_RATE_SENSORS', module: 'behavioral', since: 31 },
  { name: 'android.permission.READ_CALENDAR', module: 'calendar', since: 1 },
  { name: 'android.permission.WRITE_CALENDAR', module: 'calendar', since: 1 },
  { name: 'android.permission.READ_CONTACTS', module: 'contact', since: 1 },
  { name: 'android.permission.WRITE_CONTACTS', module: 'contact', since: 1 },
  { name: 'android.permission.READ_CALL_LOG', module: 'contact', since: 16 },
  { name: 'android.permission.WRITE_CALL_LOG', module: 'contact', since: 16 },
  { name: 'android.permission.READ_MEDIA_AUDIO', module: 'audio', since: 33 },
  { name: 'android.permission.READ_MEDIA_IMAGES', module: 'images', since: 33 },
  { name: 'android.permission.ACCESS_MEDIA_LOCATION', module: 'images', since: 29 },
  { name: 'android.permission.READ_MEDIA_VIDEO', module: 'video', since: 33 },
  { name: 'android.permission.READ_SMS', module: 'sms', since: 1 },
  { name: 'android.permission.RECEIVE_SMS', module: 'sms', since: 1 },
  { name: 'android.permission.SEND_SMS', module: 'sms', since: 1 },
  { name: 'android.permission.RECEIVE_MMS', module: 'sms', since: 1 },
  { name: 'android.permission.ACCESS_COARSE_LOCATION', module: 'location', since: 1 },
  { name: 'android.permission.ACCESS_FINE_LOCATION', module: 'location', since: 1 },
  { name: 'android.permission.ACCESS_BACKGROUND_LOCATION', module: 'location', since: 29 },
  { name: 'android.permission.READ_PHONE_STATE', module: 'phone', since: 1 },
  { name: 'android.permission.READ_BASIC_PHONE_STATE', module: 'phone', since: 33 },
  { name: 'android.permission.READ_PHONE_NUMBERS', module: 'phone', since: 26 },
  { name: 'android.permission.CALL_PHONE', module: 'phone', since: 1 },
  { name: 'android.permission.PROCESS_OUTGOING_CALLS', module: 'phone', since: 1 },
  { name: 'android.permission.ACCESS_WIFI_STATE', module: 'network', since: 1 },
  { name: 'android.permission.CHANGE_WIFI_STATE', module: 'network', since: 1 },
  { name: 'android.permission.NEARBY_WIFI_DEVICES', module: 'network', since: 33 },
  { name: 'android.permission.BLUETOOTH', module: 'network', since: 1 },
  { name: 'android.permission.BLUETOOTH_ADMIN', module: 'network', since: 1 },
  { name: 'android.permission.BLUETOOTH_SCAN', module: 'network', since: 31 },
  { name: 'android.permission.BLUETOOTH_CONNECT', module: 'network', since: 31 },
  { name: 'android.permission.CAMERA', module: 'camera', since: 1 },
  { name: 'android.permission.RECORD_AUDIO', module: 'microphone', since: 1 },
  { name: 'android.permission.ACTIVITY_RECOGNITION', module: 'motion', since: 29 },
  { name: 'android.permission.BODY_SENSORS', module: 'health', since: 20 },
  { name: 'android.permission.BODY_SENSORS_BACKGROUND', module: 'health', since: 33 },
]
