import { Loader, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { type FormEvent, useEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { findDatasetItem } from './find-dataset-item.ts'
import { listLocation } from './list-location.ts'

/** Searches while the user types; Enter opens the dataset with exactly this reference number. */
export function SearchBox({ value, change }: { value: string; change: (value: string) => void }) {
  const [text, setText] = useState(value)
  const [opening, setOpening] = useState(false)
  const navigate = useNavigate()
  const { search, hash } = useLocation()
  const changeSoon = useDebouncedCallback(change, 300)
  useEffect(() => setText(value), [value]) // follows the browser history

  async function open(event: FormEvent) {
    event.preventDefault()
    const referenceNumber = text.trim()
    if (referenceNumber === '') return
    changeSoon.cancel() // otherwise it would navigate away from the opened page
    setOpening(true)
    const found = await findDatasetItem(referenceNumber).catch(() => undefined)
    setOpening(false)
    if (found)
      navigate(`/datasets/${encodeURIComponent(referenceNumber)}`, { state: listLocation(search + hash) })
    else change(referenceNumber)
  }

  return (
    <search style={{ flex: '1 1 18rem' }}>
      <form onSubmit={open}>
        <TextInput
          type="search"
          aria-label="Search by reference, client or device"
          placeholder="Search by reference, client or device"
          maxLength={100}
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value)
            changeSoon(currentTarget.value.trim())
          }}
          leftSection={opening ? <Loader size={16} /> : <IconSearch size={16} aria-hidden />}
          autoComplete="off"
          spellCheck={false}
        />
      </form>
    </search>
  )
}
