/** Saves a file in the browser. */
export function saveFile({ name, file }: { readonly name: string; readonly file: Blob }): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** The file name of a response. */
export const fileNameOf = (response: Response, otherwise: string): string =>
  /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? otherwise
