import type { Facts, Graphics } from './wire.ts'

const FONTS =
  'Arial Black,Arial Narrow,Bahnschrift,Calibri,Cambria,Candara,Cantarell,Century Gothic,Chalkboard,Comic Sans MS,Consolas,Constantia,Copperplate,DejaVu Sans,Didot,Franklin Gothic Medium,Futura,Gabriola,Garamond,Geneva,Georgia,Gill Sans,Helvetica Neue,Hoefler Text,Impact,Leelawadee,Liberation Sans,Lucida Console,Malgun Gothic,Marker Felt,Menlo,Meiryo,Microsoft YaHei,Monaco,MS Gothic,Nirmala UI,Noto Sans,Optima,Palatino,PingFang SC,Roboto,Rockwell,Segoe UI,SF Pro,SimSun,Skia,Sylfaen,Tahoma,Thonburi,Trebuchet MS,Ubuntu,Verdana,Yu Gothic,Zapfino'.split(
    ',',
  )
const TEXT = 'Inkling mwi0WQ &#'

/** 53-bit hash as hexadecimal digits; nothing is derived from it that needs more. */
export function hashText(text: string): string {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    a = Math.imul(a ^ code, 2654435761)
    b = Math.imul(b ^ code, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(16).padStart(14, '0')
}

/** Lets the page act between two readings, each of which takes some milliseconds. */
const idle = () =>
  new Promise<void>((resolve) =>
    'requestIdleCallback' in self
      ? requestIdleCallback(() => resolve(), { timeout: 2_000 })
      : setTimeout(resolve, 50),
  )

const canvasOf = (width: number, height: number) =>
  Object.assign(document.createElement('canvas'), { width, height })

function readCanvas(): Graphics {
  const canvas = canvasOf(240, 60)
  const pen = canvas.getContext('2d')
  if (!pen) return {}
  pen.fillStyle = '#f60'
  pen.fillRect(100, 1, 62, 20)
  pen.fillStyle = '#069'
  pen.font = '15px Arial'
  pen.fillText(`${TEXT} \u{1f603}`, 2, 20)
  pen.globalCompositeOperation = 'multiply'
  for (const [color, x] of [
    ['#f0f', 40],
    ['#0ff', 70],
    ['#ff0', 55],
  ] as const) {
    pen.fillStyle = color
    pen.beginPath()
    pen.arc(x, 38, 20, 0, Math.PI * 2)
    pen.fill()
  }
  return { canvasHash: hashText(canvas.toDataURL()) }
}

function readWebgl(): Graphics {
  const gl = canvasOf(1, 1).getContext('webgl')
  if (!gl) return {}
  const info = gl.getExtension('WEBGL_debug_renderer_info')
  const parameters = [
    ...[gl.VERSION, gl.SHADING_LANGUAGE_VERSION, gl.MAX_TEXTURE_SIZE, gl.MAX_CUBE_MAP_TEXTURE_SIZE],
    ...[gl.MAX_RENDERBUFFER_SIZE, gl.MAX_VERTEX_ATTRIBS, gl.MAX_VERTEX_UNIFORM_VECTORS],
    ...[gl.MAX_FRAGMENT_UNIFORM_VECTORS, gl.MAX_VARYING_VECTORS, gl.MAX_TEXTURE_IMAGE_UNITS],
    ...[gl.MAX_VIEWPORT_DIMS, gl.ALIASED_LINE_WIDTH_RANGE, gl.ALIASED_POINT_SIZE_RANGE],
  ].map((one) => String(gl.getParameter(one)))
  const graphics: Graphics = {
    webglHash: hashText([...parameters, ...(gl.getSupportedExtensions() ?? [])].join()),
    webglVendor: String(gl.getParameter(info ? info.UNMASKED_VENDOR_WEBGL : gl.VENDOR)),
    webglRenderer: String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER)),
  }
  gl.getExtension('WEBGL_lose_context')?.loseContext()
  return graphics
}

async function readAudio(): Promise<Graphics> {
  const context = new OfflineAudioContext(1, 5_000, 44_100)
  const oscillator = context.createOscillator()
  const compressor = context.createDynamicsCompressor()
  oscillator.type = 'triangle'
  oscillator.frequency.value = 10_000
  oscillator.connect(compressor).connect(context.destination)
  oscillator.start()
  const samples = (await context.startRendering()).getChannelData(0).subarray(4_000)
  return { audioHash: hashText(samples.join()) }
}

/** Which fonts change the width of a text, beside what is drawn without them. */
function readFonts(): Graphics {
  const pen = canvasOf(1, 1).getContext('2d')
  if (!pen) return {}
  const widthOf = (font: string) => {
    pen.font = `40px ${font}`
    return pen.measureText(TEXT).width
  }
  const generic = ['monospace', 'serif'].map((family) => ({ family, width: widthOf(family) }))
  const found = FONTS.filter((font) =>
    generic.some(({ family, width }) => widthOf(`"${font}",${family}`) !== width),
  )
  return { fontsHash: hashText(found.join()) }
}

/** Yields what the browser draws, plays and lists, once it is idle; what it refuses is left out. Adds nothing to the page. */
export async function* read(): AsyncGenerator<Facts> {
  const graphics: Graphics = {}
  for (const one of [readCanvas, readWebgl, readFonts, readAudio]) {
    await idle()
    try {
      Object.assign(graphics, await one())
    } catch {
      // the browser blocks it
    }
  }
  yield { web: { graphics } }
}
