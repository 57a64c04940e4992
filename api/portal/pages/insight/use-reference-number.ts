import { useLocation, useParams } from 'react-router'

/** The reference number in the address. The router's own parameters take a `%2F` in it, which is text, for a slash. */
export function useReferenceNumber(): string {
  const { referenceNumber = '' } = useParams()
  const { pathname } = useLocation()
  try {
    return decodeURIComponent(pathname.split('/')[2] ?? '')
  } catch {
    return referenceNumber // a percent sign that encodes nothing
  }
}
