/** Encodes a capture as the `data` of an upload: base64 of gzip of UTF-8 JSON. */
export async function encodeCapture(capture: object): Promise<string> {
  const json = new Blob([JSON.stringify(capture)])
  const zipped = await new Response(json.stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer()
  return btoa(String.fromCharCode(...new Uint8Array(zipped)))
}
