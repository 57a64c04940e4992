import { useLocation, useParams } from 'react-router'

/** The reference number in the URL. Not from the router's parameters, which decode `%252F` to a slash. */
export function useReferenceNumber(): string {
  const { referenceNumber = '' } = useParams()
  const { pathname } = useLocation()
  try {
    return decodeURIComponent(pathname.split('/')[2] ?? '')
  } catch {
    return referenceNumber // a percent sign that is not an escape
  }
}
