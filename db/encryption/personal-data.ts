import type { Vault } from './vault.ts'

/** Additional Info as it is stored: all names; a value is null if it is in the sealed part. */
export type StoredInfo = Readonly<Record<string, string | null>>

/** Additional Info with its sealed values; these are null where all are stored as they are. */
export interface SealedInfo {
  readonly additionalInfo: StoredInfo
  readonly sealedInfo: Buffer | null
}

/** The row that personal data belongs to; `name` as of `SealedFor`. */
export interface Owner {
  readonly subscriptionId: number
  readonly name: string
}

/** Identifies the client for velocity and is searched by its beginning: stored as it is. See docs/decisions/0010. */
const SEARCHED = 'clientId'

/** Seals the values of Additional Info but that of `clientId`; names stay, as features count them. */
export async function sealInfo(
  vault: Vault,
  { subscriptionId, name }: Owner,
  info: Readonly<Record<string, string>>,
): Promise<SealedInfo> {
  const values = Object.entries(info).filter(([key]) => key !== SEARCHED)
  if (values.length === 0) return { additionalInfo: info, sealedInfo: null }
  const plain = Buffer.from(JSON.stringify(Object.fromEntries(values)))
  const sealedInfo = await vault.seal({ subscriptionId, kind: 'info', name }, plain)
  if (!sealedInfo) return { additionalInfo: info, sealedInfo: null }
  const names = Object.entries(info).map(([key, value]) => [key, key === SEARCHED ? value : null])
  return { additionalInfo: Object.fromEntries(names), sealedInfo }
}

/** Returns stored Additional Info as it was saved. */
export async function openInfo(
  vault: Vault,
  { subscriptionId, name }: Owner,
  { additionalInfo, sealedInfo }: SealedInfo,
): Promise<Readonly<Record<string, string>>> {
  const opened = sealedInfo && (await vault.open({ subscriptionId, kind: 'info', name }, sealedInfo))
  const sealed: Readonly<Record<string, string>> = opened ? JSON.parse(opened.toString()) : {}
  return Object.fromEntries(
    Object.entries(additionalInfo).map(([key, value]) => [key, value ?? sealed[key] ?? '']),
  )
}

/** An address with its sealed form; one of them is null. */
export interface SealedAddress {
  readonly address: string | null
  readonly sealedAddress: Buffer | null
}

export async function sealAddress(
  vault: Vault,
  { subscriptionId, name }: Owner,
  address: string | null,
): Promise<SealedAddress> {
  const sealed =
    address !== null && (await vault.seal({ subscriptionId, kind: 'address', name }, Buffer.from(address)))
  return sealed ? { address: null, sealedAddress: sealed } : { address, sealedAddress: null }
}

export async function openAddress(
  vault: Vault,
  { subscriptionId, name }: Owner,
  { address, sealedAddress }: SealedAddress,
): Promise<string | null> {
  if (!sealedAddress) return address
  return (await vault.open({ subscriptionId, kind: 'address', name }, sealedAddress)).toString()
}
