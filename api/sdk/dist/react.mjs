import { t as e } from "./src-BxDR4WCW.js";
import { useEffect as t, useRef as n, useState as r } from "react";
// api/sdk/src/react.ts
function i(i) {
	let a = n(i), [o, s] = r(null);
	return t(() => {
		let t = e(a.current);
		return s(t), () => t.stop();
	}, []), o;
}
export { i as useInkling };
