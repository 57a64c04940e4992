import type { CatalogPermission } from './catalog.ts'

/**
 * The iOS permissions that the Permission fragment lists, in its order: the Info.plist keys with which an app requests
 * them. Versions are those on each key's page, except two that the pages date wrongly, as commented.
 *
 * @see https://developer.apple.com/documentation/bundleresources/protected-resources
 */
export const IOS_PERMISSIONS: readonly CatalogPermission[] = [
  { name: 'NSFaceIDUsageDescription', module: 'core', since: 11 },
  { name: 'NSFocusStatusUsageDescription', module: 'behavioral', since: 15 },
  { name: 'NSContactsUsageDescription', module: 'contacts', since: 6 },
  { name: 'NSCalendarsUsageDescription', module: 'calendarEvents', since: 6 },
  { name: 'NSCalendarsFullAccessUsageDescription', module: 'calendarEvents', since: 17 },
  { name: 'NSCalendarsWriteOnlyAccessUsageDescription', module: 'calendarEvents', since: 17 },
  { name: 'NSRemindersUsageDescription', module: 'calendarReminders', since: 6 },
  { name: 'NSRemindersFullAccessUsageDescription', module: 'calendarReminders', since: 17 },
  { name: 'NSPhotoLibraryUsageDescription', module: 'media', since: 6 },
  { name: 'NSPhotoLibraryAddUsageDescription', module: 'media', since: 11 },
  // Its page says 2.0, but MPMediaLibrary.requestAuthorization, which requests it, was introduced in 9.3.
  { name: 'NSAppleMusicUsageDescription', module: 'music', since: 9.3 },
  { name: 'NSLocationUsageDescription', module: 'location', since: 6 },
  // Its page says 11.0, but Apple's older Cocoa Keys reference says iOS 8.0 and later.
  { name: 'NSLocationWhenInUseUsageDescription', module: 'location', since: 8 },
  { name: 'NSLocationAlwaysUsageDescription', module: 'location', since: 8 },
  { name: 'NSLocationAlwaysAndWhenInUseUsageDescription', module: 'location', since: 11 },
  { name: 'NSCameraUsageDescription', module: 'camera', since: 7 },
  { name: 'NSMicrophoneUsageDescription', module: 'microphone', since: 7 },
  { name: 'NSSpeechRecognitionUsageDescription', module: 'microphone', since: 10 },
  { name: 'NSMotionUsageDescription', module: 'motion', since: 7 },
  { name: 'NSHealthShareUsageDescription', module: 'health', since: 8 },
  { name: 'NSHealthUpdateUsageDescription', module: 'health', since: 8 },
  { name: 'NSBluetoothPeripheralUsageDescription', module: 'network', since: 6 },
  { name: 'NSBluetoothAlwaysUsageDescription', module: 'network', since: 13 },
  { name: 'NSLocalNetworkUsageDescription', module: 'network', since: 14 },
  { name: 'NSNearbyInteractionUsageDescription', module: 'network', since: 15 },
  { name: 'NSUserTrackingUsageDescription', module: 'tracking', since: 14 },
  { name: 'NSFinancialDataUsageDescription', module: 'finance', since: 17.4 },
]
