import { useEffect, useState } from 'react'

/** A QR code, drawn as one path; its reader is loaded on demand. */
export function QrCode({ text, label, size = 180 }: { text: string; label: string; size?: number }) {
  const [rows, setRows] = useState<readonly (readonly boolean[])[]>([])
  useEffect(() => {
    let isCurrent = true
    void import('qr').then(({ encodeQR }) => {
      if (isCurrent) setRows(encodeQR(text, 'raw', { border: 4 }))
    })
    return () => {
      isCurrent = false
    }
  }, [text])
  const path = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg
      width={size}
      height={size}
      viewBox={`0 0 ${rows.length || 1} ${rows.length || 1}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      {/* dark on light in both colour schemes: cameras expect it */}
      <rect width="100%" height="100%" fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
