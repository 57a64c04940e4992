/** A permission that the Permission fragment always lists. */
export interface CatalogPermission {
  /** As the platform spells it, and as captures list it. */
  readonly name: string
  /** The SDK module that reads it, one of `sdk.modules` where it is installed. */
  readonly module: string
  /** First OS version that has it: the API level on Android, major.minor on iOS. */
  readonly since: number
}
