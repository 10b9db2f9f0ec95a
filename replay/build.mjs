// Builds the page: node build.mjs [OUT]
//
// One file, style and script inline, allowed by their hashes alone.  At the line
// <!--XOFF-DATA--> `xoff report' puts the runs.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, "dist", "report.html"));
// The modules may have been installed elsewhere: a source tree may be read-only.
const modules = resolve(process.env.REPLAY_MODULES ?? join(here, "node_modules"));
const require = createRequire(join(modules, "none.js"));
const esbuild = await import(pathToFileURL(require.resolve("esbuild")));

const bundle = await esbuild.build({
	entryPoints: [join(here, "src", "main.js")],
	bundle: true,
	minify: true,
	write: false,
	format: "iife",
	target: "es2022",
	legalComments: "inline",
	nodePaths: [modules],
	absWorkingDir: here,
	charset: "utf8",
});
const style = await esbuild.transform(
	readFileSync(join(modules, "uplot", "dist", "uPlot.min.css"), "utf8") +
		readFileSync(join(here, "src", "style.css"), "utf8"),
	{ loader: "css", minify: true, charset: "utf8" },
);
const notice = ["d3-selection", "d3-zoom", "fflate", "uplot"]
	.map((name) => {
		const { version, license } = JSON.parse(
			readFileSync(join(modules, name, "package.json"), "utf8"),
		);
		return `${name} ${version} (${license})`;
	})
	.join(", ");
const script =
	`/* Xoff, GPL-3.0-or-later; with ${notice}. */\n` +
	bundle.outputFiles[0].text.trim().replaceAll("</script", "<\\/script");
const css = style.code.trim();
const hash = (text) => `sha256-${createHash("sha256").update(text).digest("base64")}`;

// so that make and the program can tell whether the page is of these sources
const sources = execFileSync("sh", [join(here, "sources.sh"), here], { encoding: "utf8" }).trim();
const parts = {
	SCRIPT_HASH: hash(script),
	STYLE_HASH: hash(css),
	SOURCES: sources,
	STYLE: css,
	SCRIPT: script,
};
const page = readFileSync(join(here, "src", "page.html"), "utf8").replace(
	/@(SCRIPT_HASH|STYLE_HASH|SOURCES|STYLE|SCRIPT)@/g,
	(_, name) => parts[name],
);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, page);
console.log(`${out}: ${page.length} bytes (script ${script.length}, style ${css.length})`);
