export { t as start } from "./src-BxDR4WCW.js";
