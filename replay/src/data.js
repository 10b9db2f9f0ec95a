// The data blocks of the page: <script type="application/octet-stream" data-run=0
// data-label="base" data-file="replay.json">, deflated (zlib) and in base 64.

import { unzlibSync } from "fflate";
import { Run } from "./run.js";

function bytesOf(text) {
	const binary = atob(text.trim());
	const bytes = new Uint8Array(binary.length);
	for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
	return bytes;
}

export async function inflate(bytes, Stream = globalThis.DecompressionStream) {
	if (!Stream) return new TextDecoder().decode(unzlibSync(bytes));
	const stream = new Blob([bytes]).stream().pipeThrough(new Stream("deflate"));
	return new Response(stream).text();
}

// [{label, summary, load()}]: the large parts are read when a run is shown.
export async function readRuns(document) {
	const blocks = [];

	for (const script of document.querySelectorAll("script[data-run]")) {
		const { run, label, file } = script.dataset;
		blocks[run] ??= { label, files: {} };
		blocks[run].files[file] = script;
	}
	const text = async (block, file) => inflate(bytesOf(block.files[file].textContent));
	return Promise.all(
		blocks.map(async (block) => {
			const summary = await text(block, "summary.json");
			let loaded = null;
			return {
				label: block.label,
				summary: JSON.parse(summary).runs[0],
				load: () =>
					(loaded ??= (async () =>
						new Run({
							label: block.label,
							summary,
							resolved: await text(
								block,
								"resolved.json",
							),
							replay: await text(block, "replay.json"),
							events: await text(block, "events.csv"),
						}))()),
			};
		}),
	);
}
