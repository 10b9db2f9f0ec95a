// Numbers as people write them.

function digits(value, n) {
	if (value === 0) return "0";
	const places = Math.max(0, n - 1 - Math.floor(Math.log10(Math.abs(value))));
	return places > 0 ? value.toFixed(Math.min(places, 12)) : Math.round(value).toString();
}

function scaled(value, n, units) {
	const size = Math.abs(value);
	let [step, unit] = units[0];

	for (const [s, u] of units) if (size >= s) [step, unit] = [s, u];
	return `${digits(value / step, n)} ${unit}`;
}

// Nanoseconds; n significant digits.
export const time = (ns, n = 4) =>
	scaled(ns, n, [
		[1, "ns"],
		[1e3, "µs"],
		[1e6, "ms"],
		[1e9, "s"],
	]);
export const ps = (value, n = 4) =>
	value === null || value === undefined
		? "–"
		: value < 1000
			? `${value} ps`
			: time(value / 1000, n);
export const bytes = (value, n = 3) =>
	scaled(value, n, [
		[1, "B"],
		[1e3, "KB"],
		[1e6, "MB"],
		[1e9, "GB"],
	]);
export const rate = (bps, n = 3) =>
	scaled(bps, n, [
		[1, "bps"],
		[1e3, "Kbps"],
		[1e6, "Mbps"],
		[1e9, "Gbps"],
		[1e12, "Tbps"],
	]);
export const count = (value) => value.toLocaleString("en-US");
// "100 %" is all of it, and nothing less.
export const percent = (ratio) =>
	ratio < 1 && ratio >= 0.995
		? "over 99 %"
		: `${digits(100 * ratio, ratio >= 0.1 ? 2 : 1)} %`;

// How long something lasts by now, in whole nanoseconds.
export const age = (ns) => time(Math.max(0, Math.floor(ns)), 3);

// A time that changes all the while: fixed width, the unit of the whole.
export function clock(ns, whole) {
	const [step, unit] = whole >= 2e9 ? [1e9, "s"] : whole >= 2e6 ? [1e6, "ms"] : [1e3, "µs"];
	return `${(ns / step).toFixed(step === 1e3 ? 3 : 6)} ${unit}`;
}

// The marks of an axis of times: one unit, as many places as their distance needs.
export function ticks(times) {
	const most = Math.max(...times.map(Math.abs), 1),
		gap = times.length > 1 ? times[1] - times[0] : most;
	const [step, unit] =
		most >= 1e9
			? [1e9, "s"]
			: most >= 1e6
				? [1e6, "ms"]
				: most >= 1e3
					? [1e3, "µs"]
					: [1, "ns"];
	let places = 0;
	for (let g = gap / step; places < 9 && Math.abs(g - Math.round(g)) > 1e-6; g *= 10)
		places++;
	return times.map((t) => `${(t / step).toFixed(places)} ${unit}`);
}

// "a, b and c"; beyond `most`, "and n more".
export function list(words, most = 6) {
	if (words.length > most)
		return `${words.slice(0, most).join(", ")} and ${words.length - most} more`;
	if (words.length < 2) return words.join("");
	return `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

export const plural = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;

// Rows of RFC 4180 text, the first one giving the names.
export function csv(text) {
	const rows = [];
	let row = [],
		field = "",
		quoted = false;

	for (let i = 0; i < text.length; i++) {
		const c = text[i];
		if (quoted) {
			if (c !== '"') field += c;
			else if (text[i + 1] === '"') field += text[++i];
			else quoted = false;
		} else if (c === '"') {
			quoted = true;
		} else if (c === "," || c === "\n") {
			row.push(field);
			field = "";
			if (c === "\n") {
				rows.push(row);
				row = [];
			}
		} else if (c !== "\r") {
			field += c;
		}
	}
	const names = rows.shift() ?? [];
	return rows.map((r) => Object.fromEntries(names.map((name, i) => [name, r[i] ?? ""])));
}
