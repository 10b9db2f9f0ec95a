// Modules that may be installed outside the source tree (REPLAY_MODULES).

import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const here = dirname(fileURLToPath(import.meta.url));
const modules = resolve(process.env.REPLAY_MODULES ?? join(here, "..", "node_modules"));
const require = createRequire(join(modules, "none.js"));

export const load = (name) => require(name);
export const path = (name) => require.resolve(name);
