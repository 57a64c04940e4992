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

/** The name under which an address is sealed together with Additional Info, which has no empty names. */
const ADDRESS = ''

/** Seals the values of Additional Info but that of `clientId`; names stay, as features count them. */
export async function sealInfo(
  vault: Vault,
  owner: Owner,
  info: Readonly<Record<string, string>>,
): Promise<SealedInfo> {
  const { additionalInfo, sealedInfo } = await sealPersonal(vault, owner, info, null)
  return { additionalInfo, sealedInfo }
}

/** Additional Info and address of a dataset in one sealed value, which costs a third less than two. */
export async function sealPersonal(
  vault: Vault,
  { subscriptionId, name }: Owner,
  info: Readonly<Record<string, string>>,
  address: string | null,
): Promise<SealedInfo & SealedAddress> {
  const plain = { additionalInfo: info, sealedInfo: null, address, sealedAddress: null }
  const values = Object.entries(info).filter(([key]) => key !== SEARCHED)
  if (address !== null) values.push([ADDRESS, address])
  if (values.length === 0) return plain
  const json = Buffer.from(JSON.stringify(Object.fromEntries(values)))
  const sealedInfo = await vault.seal({ subscriptionId, kind: 'info', name }, json)
  if (!sealedInfo) return plain
  const names = Object.entries(info).map(([key, value]) => [key, key === SEARCHED ? value : null])
  return { additionalInfo: Object.fromEntries(names), sealedInfo, address: null, sealedAddress: null }
}

async function openValues(
  vault: Vault,
  { subscriptionId, name }: Owner,
  sealedInfo: Buffer | null,
): Promise<Readonly<Record<string, string>>> {
  if (!sealedInfo) return {}
  return JSON.parse((await vault.open({ subscriptionId, kind: 'info', name }, sealedInfo)).toString())
}

/** Returns stored Additional Info as it was saved. */
export async function openInfo(
  vault: Vault,
  owner: Owner,
  { additionalInfo, sealedInfo }: SealedInfo,
): Promise<Readonly<Record<string, string>>> {
  const sealed = await openValues(vault, owner, sealedInfo)
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

/** Returns an address as it was sent, sealed by itself or together with Additional Info. */
export async function openAddress(
  vault: Vault,
  owner: Owner,
  { address, sealedAddress, sealedInfo = null }: SealedAddress & { readonly sealedInfo?: Buffer | null },
): Promise<string | null> {
  const { subscriptionId, name } = owner
  if (sealedAddress)
    return (await vault.open({ subscriptionId, kind: 'address', name }, sealedAddress)).toString()
  return address ?? (await openValues(vault, owner, sealedInfo))[ADDRESS] ?? null
}
