// api/sdk/src/redact.ts
var e = (e) => e.replace(/[^\s/]+(@|%40)[^\s/]+/gi, "{email}").replace(/[\da-f]{8}-?([\da-f]{4}-?){3}[\da-f]{12}/gi, "{uuid}").replace(/\p{Nd}([ ._-]?\p{Nd}){3,}/gu, "{digits}").slice(0, 200), t = (t) => e(t.replace(/^[a-z]+:\/\/[^/?#]*/i, "").replace(/[;?#].*/s, "")), n = [
	"geolocation",
	"notifications",
	"camera",
	"microphone",
	"clipboard-read",
	"persistent-storage"
], r = /^_*\$?(cdc_|webdriver|selenium|phantom|nightmare|playwright|pw[A-Z_]|puppeteer|cypress)|^domAutomation/i, i = /; wv\)|FBA[NV]|Instagram|Line\//, a = (e) => {
	try {
		return !!e();
	} catch {
		return !1;
	}
};
function o() {
	let { userAgent: e, languages: t, webdriver: n } = navigator, i = [...Object.keys(window), ...Object.keys(document)].flatMap((e) => r.exec(e)?.[1] ?? []);
	return n && i.push("webdriver"), /headless/i.test(e) && i.push("headless"), t.length || i.push("no-languages"), outerWidth || i.push("no-window"), /Chrome\//.test(e) && !("chrome" in window) && i.push("no-chrome"), [...new Set(i.map((e) => e.toLowerCase().replace(/_$/, "")))];
}
function s({ device: e, modules: n = [] }) {
	let r = navigator, { userAgentData: s, connection: c } = r, l = (e) => matchMedia(`(${e})`).matches, { width: u, height: d, availWidth: f, availHeight: p, colorDepth: m, orientation: h } = screen, g = devicePixelRatio, _ = (e) => Math.round(e * g), [v] = performance.getEntriesByType("navigation");
	return {
		sdk: {
			version: "0.1.0",
			modules: ["core", ...n]
		},
		device: {
			locale: r.language,
			timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
			...e
		},
		web: {
			browser: {
				userAgent: r.userAgent,
				languages: r.languages,
				cookiesEnabled: r.cookieEnabled,
				hardwareConcurrency: r.hardwareConcurrency,
				deviceMemoryGb: r.deviceMemory,
				webdriver: !!r.webdriver,
				brands: s?.brands,
				mobile: s?.mobile,
				platform: s?.platform || r.platform,
				vendor: r.vendor,
				touchPoints: r.maxTouchPoints,
				pdfViewer: r.pdfViewerEnabled,
				gpc: r.globalPrivacyControl,
				storage: {
					local: a(() => localStorage),
					session: a(() => sessionStorage),
					indexedDb: a(() => indexedDB)
				},
				automation: o(),
				embedded: self !== top || i.test(r.userAgent)
			},
			screen: {
				widthPx: _(u),
				heightPx: _(d),
				density: g,
				orientation: h?.angle,
				availWidthPx: _(f),
				availHeightPx: _(p),
				colorDepth: m
			},
			viewport: {
				widthPx: innerWidth,
				heightPx: innerHeight
			},
			preferences: {
				colorScheme: l("prefers-color-scheme:dark") ? "dark" : "light",
				reducedMotion: l("prefers-reduced-motion"),
				contrast: [
					"more",
					"less",
					"custom"
				].find((e) => l(`prefers-contrast:${e}`)) ?? "no-preference",
				forcedColors: l("forced-colors:active"),
				reducedData: l("prefers-reduced-data:reduce")
			},
			network: c && {
				effectiveType: c.effectiveType,
				rttMs: c.rtt,
				downlinkMbps: c.downlink,
				saveData: c.saveData
			},
			page: {
				origin: location.origin,
				path: t(location.pathname),
				referrerOrigin: document.referrer ? new URL(document.referrer).origin : void 0,
				navigationType: v?.type
			}
		}
	};
}
async function c({ device: e }) {
	let { userAgentData: t } = navigator, [r, ...i] = await Promise.all([t?.getHighEntropyValues(["model", "platformVersion"]).catch(() => void 0), ...n.map((e) => navigator.permissions?.query({ name: e }).then(({ state: t }) => ({
		name: e,
		granted: t === "granted"
	}), () => void 0))]);
	return {
		permissions: i.filter((e) => !!e),
		device: {
			model: r?.model || void 0,
			osVersion: r?.platformVersion || void 0,
			...e
		}
	};
}
// api/sdk/src/fields.ts
var l = 500, u = /\bcc-|one-time-code|-password/i, d = /passw|passcode|pwd|cvv|cvc|csc|card.?num|(^|[^a-z])(pin|otp|tan)([^a-z]|$)/i;
function f(t, n, r) {
	let i = `[data-inkling-ignore]${t ? `,${t}` : ""}`, a = /* @__PURE__ */ new WeakSet(), o = /* @__PURE__ */ new WeakMap(), s = /* @__PURE__ */ new WeakSet();
	document.createDocumentFragment().querySelector(i);
	let c = new MutationObserver((e) => {
		for (let { target: t, oldValue: n } of e) (n === "password" || u.test(n ?? "")) && a.add(t);
	}), f = (e, t) => e.getAttribute(t) ?? "";
	function p(e) {
		return (e.type === "password" || u.test(f(e, "autocomplete")) || d.test(`${f(e, "name")} ${f(e, "id")}`)) && a.add(e), a.has(e);
	}
	function m(t) {
		let i = e(f(t, "name") || f(t, "id")), s = t.isContentEditable ? "contenteditable" : t.type.replace(/-.*/, ""), c = `${s} ${i}`;
		if (o.set(t, i), (getComputedStyle(t).getPropertyValue("-webkit-text-security") || "none") !== "none" && a.add(t), p(t), !n.includes(c) && n.length < l) {
			let a = e(f(t, "autocomplete"));
			r({
				name: i,
				kind: s,
				index: n.length,
				...a && { autocomplete: a },
				...t.required && { required: !0 }
			}), n.push(c);
		}
		return i;
	}
	function h(e) {
		let t = e;
		if (e instanceof Element && (/^(INPUT|TEXTAREA|SELECT)$/.test(t.tagName) || t.isContentEditable) && !/^(hidden|submit|button|reset|image)$/.test(t.type)) return o.get(t) ?? m(t);
	}
	return {
		nameOf: h,
		isSecret: p,
		ignores: (e) => e.some((e) => e instanceof Element && e.matches(i)),
		watch(e) {
			if (!s.has(e)) {
				s.add(e), c.observe(e, {
					attributeFilter: ["type", "autocomplete"],
					attributeOldValue: !0,
					subtree: !0
				});
				for (let t of e.querySelectorAll("input")) p(t);
			}
		},
		scan() {
			for (let e of document.querySelectorAll("input,textarea,select")) e.closest(i) || h(e);
		},
		close: () => c.disconnect()
	};
}
// api/sdk/src/journal.ts
var p = /#(\d+)$/, m = () => Array.from(crypto.getRandomValues(/* @__PURE__ */ new Uint8Array(16)), (e) => e.toString(16).padStart(2, "0")).join("");
function h(e, t) {
	let n = `inkling:${e}:`, r = "inkling:device", i = (e) => {
		try {
			return e(t());
		} catch {
			return;
		}
	}, a = (e, t) => i((n) => n.setItem(e, t)), o = (e) => i((t) => t.removeItem(e)), s = (e) => i((t) => t.getItem(e)) ?? void 0, c = (e) => i((t) => Object.keys(t).filter((t) => t.startsWith(e))) ?? [], l = (e) => c(`${n + e}#`).flatMap((e) => {
		let [, t] = p.exec(e) ?? [];
		return t ? [[Number(t), e]] : [];
	});
	return {
		sessions: () => c(n).filter((e) => !p.test(e)).map((e) => e.slice(n.length)),
		load(e) {
			let t = s(n + e);
			return t === void 0 ? void 0 : JSON.parse(t);
		},
		save: (e, t) => a(n + e, JSON.stringify(t)),
		segments: (e) => new Map(l(e).toSorted(([e], [t]) => e - t).map(([e, t]) => [e, s(t) ?? ""])),
		put: (e, t, r) => a(`${n + e}#${t}`, r),
		remove: (e, t) => o(`${n + e}#${t}`),
		erase: (e) => {
			for (let [, t] of l(e)) o(t);
			o(n + e);
		},
		device() {
			let e = s(r);
			if (e !== void 0) return e;
			let t = m();
			return a(r, t), t;
		},
		eraseAll() {
			for (let e of [...c(n), r]) o(e);
		}
	};
}
// api/sdk/src/lock.ts
var g = (e, t) => new Promise((n) => {
	if (!navigator.locks) return n(() => {});
	navigator.locks.request(e, { signal: t }, () => new Promise((e) => n(e))).catch(() => n(void 0));
}), _ = 6e4, v = 3e4, y = ({ status: e = 0 }) => e < 400 || e === 408 || e === 429 || e >= 500, b = (e, t) => Object.assign(Error(e), {
	code: e,
	status: 400,
	retryAfterSeconds: 0,
	missing: []
}, t), x = (e) => ({
	method: "POST",
	body: e,
	headers: { "content-type": "text/plain" },
	credentials: "omit",
	referrerPolicy: "strict-origin"
}), S = (e) => new Response(new Blob([e]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
async function C(e, t, n) {
	let r = n && t.length > 1e3 && self.CompressionStream ? await S(t) : t, i = await fetch(e, {
		...x(r),
		keepalive: new Blob([r]).size < _,
		signal: AbortSignal.timeout(v)
	}), a = await i.json().catch(() => ({}));
	if (i.ok) return a;
	throw b(a.title ?? "unavailable", {
		status: i.status,
		retryAfterSeconds: Number(i.headers.get("retry-after")) || 0,
		missing: a.errors?.segments ?? []
	});
}
// api/sdk/src/retry-delay.ts
var w = 500, T = 3e4, E = (e, t, n = Math.random()) => Math.min(T, w * 2 ** e) * (1 - n / 2) + t * 1e3, D = 16e3, O = 5e4, k = 3e4, A = ({ at: e, activeMs: t, resolutionMs: n, dropped: r }, i) => ({
	startedAt: new Date(e).toISOString(),
	durationMs: Math.max(0, i - e),
	activeMs: Math.round(t),
	dropped: r,
	...n && { resolutionMs: n }
}), j = (e, t, n = Date.now()) => JSON.stringify({
	v: 1,
	n: t,
	at: n,
	behaviour: A(e, n),
	events: []
});
function ee(e, t) {
	return e.events >= O ? (e.dropped++, !1) : (e.events++, t <= 0 || (t <= k && (e.activeMs += t), e.resolutionMs = Math.min(t, e.resolutionMs ?? t)), !0);
}
function M(e) {
	let t = [], n = [], r = [], i, a = 0;
	return {
		add(e) {
			return t.push(e), a += JSON.stringify(e).length, a >= D;
		},
		fact(e) {
			i = {
				...i,
				...e,
				device: {
					...i?.device,
					...e.device
				},
				web: {
					...i?.web,
					...e.web
				}
			};
		},
		field: (e) => n.push(e),
		view: (e) => r.push(e),
		isEmpty: () => !i && !t.length && !n.length && !r.length,
		text(a) {
			let o = Date.now(), s = {
				v: 1,
				n: a.n,
				at: o,
				behaviour: A(a, o),
				events: t,
				...i && { facts: i },
				...n.length && { fields: n },
				...r.length && { views: r }
			}, c = JSON.stringify(s);
			if (!e) return c;
			try {
				let t = e(JSON.parse(c));
				return t ? JSON.stringify({
					...t,
					v: 1,
					n: a.n
				}) : void 0;
			} catch (e) {
				reportError(e);
				return;
			}
		},
		clear() {
			t = [], n = [], r = [], i = void 0, a = 0;
		}
	};
}
// api/sdk/src/outbox.ts
var N = 5e4, P = ({ endpoint: e, key: t }) => `${e}/open?k=${t}`;
function F({ nonce: e, open: t }, n = []) {
	let r = JSON.stringify({
		v: 1,
		nonce: e,
		...t
	});
	return n.length ? `${r.slice(0, -1)},"segments":[${n}]}` : r;
}
async function I(e, t, n = 0) {
	try {
		t.id ??= (await C(P(e), F(t), !1)).collection, await C(`${e.endpoint}/withdraw?c=${t.id}`, "{}", !1);
	} catch (r) {
		let { retryAfterSeconds: i = 0 } = r;
		y(r) && setTimeout(() => I(e, t, n + 1), E(n, i));
	}
}
function L(e, t, n, r, i, a = []) {
	let { endpoint: o } = e, s = new Map([...t.segments(n), ...a]), c, l, u = 0, d = !1, f = !1;
	for (let e of s.keys()) r.n = Math.max(r.n, e + 1);
	let p = (e) => `${o}?c=${r.id}&n=${e}`, m = (e = "") => C(`${o}/complete?c=${r.id}`, `{"segments":${r.n}${e && `,"last":${e}`}}`, !1);
	function h(e) {
		s.delete(e), t.remove(n, e);
	}
	function g(e, r) {
		s.set(e, r), t.put(n, e, r);
	}
	function _({ collection: e }) {
		r.id = e, delete r.open, f || t.save(n, r);
	}
	async function v(e, t) {
		try {
			await C(p(e), t, !0);
		} catch (n) {
			let { status: i, code: a } = n, o = j(r, e, r.seen);
			if (a === "collection_full") {
				r.events = Infinity, r.n = e;
				for (let e of s.keys()) h(e);
				return;
			}
			if (i !== 400 || t === o) throw n;
			return g(e, o);
		}
		h(e);
	}
	async function b() {
		for (r.id || _(await C(P(e), F(r), !1)); !f;) {
			let [e] = s;
			if (e && !(r.done && s.size === 1)) await v(...e);
			else if (r.done) try {
				return await m(e?.[1]);
			} catch (e) {
				let { missing: t } = e;
				if (!t?.length) throw e;
				for (let e of t.map(Number)) s.has(e) || g(e, j(r, e, r.seen));
			}
			else return;
		}
	}
	async function S() {
		if (!(d || f)) {
			d = !0, clearTimeout(c);
			try {
				let e = await b();
				u = 0, e && i(e);
			} catch (e) {
				let { retryAfterSeconds: t = 0 } = e;
				y(e) ? f || (c = setTimeout(S, E(u++, t))) : i(e);
			}
			d = !1;
		}
	}
	return {
		pending: s,
		put: g,
		pump: S,
		flush() {
			let t = N, n = [...s].filter(([, e]) => (t -= e.length) > 0), a = r.done && n.at(-1), o = () => {};
			if (r.id) {
				for (let [e, t] of n) a && e === a[0] || C(p(e), t, !1).then(() => h(e), o);
				r.done && m(a ? a[1] : "").then(i, o);
			} else C(P(e), F(r, n.map(([, e]) => e)), !1).then((e) => {
				_(e);
				for (let [e] of n) h(e);
			}, o);
		},
		later(t, n) {
			if (l?.abort(), n === void 0) return;
			l = new AbortController();
			let [i, a] = r.id ? [p(t), n] : [P(e), F(r, [...s.values(), n])];
			try {
				fetchLater(i, {
					...x(a),
					signal: l.signal
				});
			} catch {}
		},
		pause() {
			f = !0, clearTimeout(c);
		}
	};
}
// api/sdk/src/kind-of-key.ts
var R = (e) => /^(Backspace|Delete|Enter|Tab)$/.test(e) ? e.toLowerCase() : /^.\p{M}*$/su.test(e) ? /\p{L}/u.test(e) ? "letter" : /\p{Nd}/u.test(e) ? "digit" : /\s/.test(e) ? "space" : "symbol" : "other", z = 50, B = "focus blur keydown keyup input change paste copy cut drop invalid submit pointerdown pointermove pointerup pointercancel scroll wheel resize", V = {
	capture: !0,
	passive: !0
}, H = (e) => Math.round(e * 10) / 10;
function te(t, n, r) {
	let i = /* @__PURE__ */ new Map(), a = {}, o = [], s, c = 0, l = 0;
	function u(e) {
		let t = o.indexOf(e);
		if (t >= 0) return t;
		let n = o.indexOf(void 0);
		return o[n < 0 ? o.length : n] = e, o.indexOf(e);
	}
	function d(e, t) {
		let { type: n, pointerType: i, pointerId: a } = e, s = n.slice(7);
		if (Object.assign(t, {
			phase: s,
			x: Math.round(e.clientX),
			y: Math.round(e.clientY)
		}), i !== "touch") return s === "cancel" ? void 0 : (s !== "move" && (t.button = e.button), r({
			...t,
			type: "pointer",
			pointer: i
		}));
		let c = u(a);
		s === "down" ? t.phase = "start" : s !== "move" && (o[c] = void 0), s === "up" && (t.phase = "end");
		let l = Math.round(Math.max(e.width, e.height));
		r({
			...t,
			type: "touch",
			finger: c,
			pressure: H(e.pressure),
			sizePx: l
		});
	}
	function f(e, t, n) {
		let { type: a, repeat: o, code: c } = e;
		if (a === "keydown") {
			if (o) return;
			let r = {
				...t,
				type: "key",
				target: n,
				kind: R(e.key)
			};
			s !== void 0 && (r.flightMs = H(t.t - s)), i.set(c, r);
			return;
		}
		let l = i.get(c);
		l && (i.delete(c), s = t.t, r({
			...l,
			dwellMs: H(t.t - l.t)
		}));
	}
	function p(e, t, n) {
		let { inputType: i = "" } = e, a = n.isContentEditable ? n.textContent : n.value;
		(n.isContentEditable || "placeholder" in n) && (t.length = [...a ?? ""].length, /Paste|FromDrop/.test(i) && (t.pasted = !0), e.isTrusted && (!i || n.matches(":autofill")) && (t.auto = !0)), r(t);
	}
	function m(i) {
		let { type: o } = i, s = n(i.timeStamp);
		if (o === "wheel" && (c += i.deltaX, l += i.deltaY), /move|scroll|wheel|resize/.test(o)) {
			if (s - (a[o] ?? -50) < z) return;
			a[o] = s;
		}
		let u = i.composedPath(), m = u[0];
		if (t.ignores(u)) return;
		let h = {
			t: s,
			type: o
		};
		if (i.isTrusted || (h.trusted = !1), /^pointer/.test(o)) {
			for (let e of u) e instanceof ShadowRoot && t.watch(e);
			return d(i, h);
		}
		if (o === "scroll") {
			m === document && r({
				...h,
				x: Math.round(scrollX),
				y: Math.round(scrollY)
			});
			return;
		}
		if (o === "wheel") {
			r({
				...h,
				dx: Math.round(c),
				dy: Math.round(l)
			}), c = l = 0;
			return;
		}
		if (o === "resize") return r({
			...h,
			x: innerWidth,
			y: innerHeight
		});
		if (o === "submit") return r({
			...h,
			target: e(m.getAttribute("name") ?? "")
		});
		let g = t.nameOf(m);
		if (g === void 0) return;
		for (let e of u) e instanceof ShadowRoot && t.watch(e);
		let _ = t.isSecret(m);
		/^key/.test(o) ? _ && o !== "keyup" || f(i, h, g) : (h.target = g, o === "input" ? _ || p(i, h, m) : r(h));
	}
	for (let e of B.split(" ")) addEventListener(e, m, V);
	return t.watch(document), () => {
		for (let e of B.split(" ")) removeEventListener(e, m, V);
		t.close();
	};
}
// api/sdk/src/collect.ts
var ne = 5e3, re = 300, U = 18e5, W = 300, G = 2e4;
function K(e, n, r) {
	let { key: i, token: a, referenceNumber: o } = e, l = h(i, () => localStorage), u = M(e.beforeSend), d = a ? `t:${a.slice(-32)}` : o && `r:${encodeURIComponent(o)}`, p, _, v, y, x, S, C = !1, w, T, E = 0, D, O, k = (e) => H(Math.max(0, performance.timeOrigin + e - (p?.at ?? 0))), A = (e, t) => g(`inkling:${i}:${e}`, t);
	function j(e) {
		if (!x || !p || C) return;
		let t = e.t - E;
		E = Math.max(E, e.t), ee(p, t) && N(u.add(e));
	}
	function N(e) {
		e && clearTimeout(D), (e || !D) && (D = setTimeout(F, e ? 0 : ne)), "fetchLater" in window && (O ??= setTimeout(P, re));
	}
	function P() {
		O = void 0, p && x && !u.isEmpty() && (_?.later(p.n, u.text(p)), d && l.save(d, {
			...p,
			n: p.n + 1
		}));
	}
	function F() {
		if (clearTimeout(D), clearTimeout(O), D = O = void 0, p && x && d && _) {
			if (v?.scan(), !u.isEmpty()) {
				let e = u.text(p);
				u.clear(), p.seen = Date.now(), e && _.put(p.n++, e);
			}
			_.later(0, void 0), l.save(d, p), _.pump();
		}
	}
	function R(e = location.pathname) {
		let n = t(e), r = k(performance.now());
		u.view({
			path: n,
			t: r
		}), j({
			t: r,
			type: "page",
			target: n
		});
	}
	async function z(e) {
		if (d) return A(d, e);
		for (let t of l.sessions()) {
			let n = l.load(t);
			if (t.includes(":") || !n || n.done || Date.now() - n.seen > U) continue;
			let r = await A(t, AbortSignal.any([e, AbortSignal.timeout(W)]));
			if (r) return d = t, r;
		}
		return d = m(), A(d, e);
	}
	function B() {
		let e = Date.now();
		return {
			nonce: m(),
			at: e,
			seen: e,
			n: 0,
			fields: [],
			events: 0,
			dropped: 0,
			activeMs: 0,
			open: {
				device: l.device(),
				...a && { token: a },
				...o && { referenceNumber: o },
				consent: n
			}
		};
	}
	async function V() {
		if (x || S || w) return;
		S = new AbortController();
		let t = await z(S.signal);
		if (S = void 0, t && d) {
			if (w) return t();
			x = t, p = l.load(d) ?? p ?? B(), C ||= !!p.done, _ = L(e, l, d, p, J, _?.pending), y ? j({
				t: k(performance.now()),
				type: "visibility",
				phase: "visible"
			}) : C || K(p), F();
		}
	}
	function K({ fields: t }) {
		v = f(e.ignore, t, u.field), y = te(v, k, j), R(), setTimeout(async () => {
			u.fact({
				...s(e),
				consent: n
			}), N(), u.fact(await c(e)), e.modules?.includes("graphics") && u.fact({ web: { graphics: await (await r())() } }), N();
		});
	}
	function q(e) {
		S?.abort(), x && _ && (j({
			t: k(performance.now()),
			type: "visibility",
			phase: "hidden"
		}), F(), _.flush(), (!T || w || e) && (_.pause(), x(), x = void 0));
	}
	function J(e) {
		w || (w = e, ie(), d && l.erase(d), e instanceof Error ? T?.reject(e) : T?.resolve(e));
	}
	function ie() {
		C = !0, clearTimeout(D), clearTimeout(O), u.clear(), _?.later(0, void 0), _?.pause(), y?.(), y = void 0, removeEventListener("visibilitychange", Z, !0), removeEventListener("pagehide", X), removeEventListener("pageshow", Z), removeEventListener("online", Q), removeEventListener("storage", $), S?.abort(), x?.(), x = void 0;
	}
	async function Y() {
		let t = !1;
		for (let n of l.sessions()) {
			let r = n === d ? void 0 : l.load(n), i = r && await A(n, AbortSignal.timeout(W));
			if (!i || !r) continue;
			let a = () => l.erase(n), o = L(e, l, n, r, a);
			await o.pump(), o.pause(), o.pending.size || r.done ? t = !0 : Date.now() - r.seen > U && a(), i();
		}
		t && setTimeout(Y, G);
	}
	let X = () => q(!0), Z = () => {
		document.visibilityState === "hidden" ? q(!1) : C || V();
	}, Q = () => void _?.pump(), $ = ({ key: e, newValue: t }) => {
		d && e === `inkling:${i}:${d}` && t === null && J(b("ended_elsewhere"));
	};
	return addEventListener("visibilitychange", Z, !0), addEventListener("pagehide", X), addEventListener("pageshow", Z), addEventListener("online", Q), addEventListener("storage", $), Z(), setTimeout(Y, G / 20), {
		get id() {
			return p?.id;
		},
		page: R,
		stop() {
			F(), C = !0, y?.(), T || q(!0);
		},
		async complete() {
			return T || (T = Promise.withResolvers(), w ? ae() : (await V(), p && _ && (F(), C = !0, p.done = !0, F()))), T.promise;
		},
		withdraw() {
			let t = new Map(l.sessions().map((e) => [e, l.load(e)]));
			p && d && t.set(d, p), J(b("withdrawn")), l.eraseAll();
			for (let n of t.values()) n && I(e, n);
		}
	};
	function ae() {
		w instanceof Error ? T?.reject(w) : w && T?.resolve(w);
	}
}
// api/sdk/src/index.ts
var q = ((e) => (t) => {
	let n, r = (r) => {
		typeof document < "u" && (n ??= K(t, {
			basis: "consent",
			at: (/* @__PURE__ */ new Date()).toISOString(),
			...r
		}, e));
	};
	return t.consent === "granted" && r(), {
		grant: r,
		withdraw() {
			n?.withdraw(), n = void 0;
		},
		page: (e) => n?.page(e),
		get id() {
			return n?.id;
		},
		stop: () => n?.stop(),
		complete: async () => {
			if (!n) throw b("not_collecting");
			return n.complete();
		}
	};
})(async () => (await import("./graphics.mjs")).readGraphics);
export { q as t };
