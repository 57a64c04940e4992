// api/sdk/src/graphics.ts
var e = "Arial Black,Arial Narrow,Bahnschrift,Calibri,Cambria,Candara,Cantarell,Century Gothic,Chalkboard,Comic Sans MS,Consolas,Constantia,Copperplate,DejaVu Sans,Didot,Franklin Gothic Medium,Futura,Gabriola,Garamond,Geneva,Georgia,Gill Sans,Helvetica Neue,Hoefler Text,Impact,Leelawadee,Liberation Sans,Lucida Console,Malgun Gothic,Marker Felt,Menlo,Meiryo,Microsoft YaHei,Monaco,MS Gothic,Nirmala UI,Noto Sans,Optima,Palatino,PingFang SC,Roboto,Rockwell,Segoe UI,SF Pro,SimSun,Skia,Sylfaen,Tahoma,Thonburi,Trebuchet MS,Ubuntu,Verdana,Yu Gothic,Zapfino".split(","), t = "Inkling mwi0WQ &#";
function n(e) {
	let t = 3735928559, n = 1103547991;
	for (let r = 0; r < e.length; r++) {
		let i = e.charCodeAt(r);
		t = Math.imul(t ^ i, 2654435761), n = Math.imul(n ^ i, 1597334677);
	}
	return t = Math.imul(t ^ t >>> 16, 2246822507) ^ Math.imul(n ^ n >>> 13, 3266489909), n = Math.imul(n ^ n >>> 16, 2246822507) ^ Math.imul(t ^ t >>> 13, 3266489909), (4294967296 * (2097151 & n) + (t >>> 0)).toString(16).padStart(14, "0");
}
var r = () => new Promise((e) => "requestIdleCallback" in self ? requestIdleCallback(() => e(), { timeout: 2e3 }) : setTimeout(e, 50)), i = (e, t) => Object.assign(document.createElement("canvas"), {
	width: e,
	height: t
});
function a() {
	let e = i(240, 60), r = e.getContext("2d");
	if (!r) return {};
	r.fillStyle = "#f60", r.fillRect(100, 1, 62, 20), r.fillStyle = "#069", r.font = "15px Arial", r.fillText(`${t} \u{1f603}`, 2, 20), r.globalCompositeOperation = "multiply";
	for (let [e, t] of [
		["#f0f", 40],
		["#0ff", 70],
		["#ff0", 55]
	]) r.fillStyle = e, r.beginPath(), r.arc(t, 38, 20, 0, Math.PI * 2), r.fill();
	return { canvasHash: n(e.toDataURL()) };
}
function o() {
	let e = i(1, 1).getContext("webgl");
	if (!e) return {};
	let t = e.getExtension("WEBGL_debug_renderer_info"), r = {
		webglHash: n([...[
			e.VERSION,
			e.SHADING_LANGUAGE_VERSION,
			e.MAX_TEXTURE_SIZE,
			e.MAX_CUBE_MAP_TEXTURE_SIZE,
			e.MAX_RENDERBUFFER_SIZE,
			e.MAX_VERTEX_ATTRIBS,
			e.MAX_VERTEX_UNIFORM_VECTORS,
			e.MAX_FRAGMENT_UNIFORM_VECTORS,
			e.MAX_VARYING_VECTORS,
			e.MAX_TEXTURE_IMAGE_UNITS,
			e.MAX_VIEWPORT_DIMS,
			e.ALIASED_LINE_WIDTH_RANGE,
			e.ALIASED_POINT_SIZE_RANGE
		].map((t) => String(e.getParameter(t))), ...e.getSupportedExtensions() ?? []].join()),
		webglVendor: String(e.getParameter(t ? t.UNMASKED_VENDOR_WEBGL : e.VENDOR)),
		webglRenderer: String(e.getParameter(t ? t.UNMASKED_RENDERER_WEBGL : e.RENDERER))
	};
	return e.getExtension("WEBGL_lose_context")?.loseContext(), r;
}
async function s() {
	let e = new OfflineAudioContext(1, 5e3, 44100), t = e.createOscillator(), r = e.createDynamicsCompressor();
	return t.type = "triangle", t.frequency.value = 1e4, t.connect(r).connect(e.destination), t.start(), { audioHash: n((await e.startRendering()).getChannelData(0).subarray(4e3).join()) };
}
function c() {
	let r = i(1, 1).getContext("2d");
	if (!r) return {};
	let a = (e) => (r.font = `40px ${e}`, r.measureText(t).width), o = ["monospace", "serif"].map((e) => ({
		family: e,
		width: a(e)
	}));
	return { fontsHash: n(e.filter((e) => o.some(({ family: t, width: n }) => a(`"${e}",${t}`) !== n)).join()) };
}
async function l() {
	let e = {};
	for (let t of [
		a,
		o,
		c,
		s
	]) {
		await r();
		try {
			Object.assign(e, await t());
		} catch {}
	}
	return e;
}
export { n as hashText, l as readGraphics };
