// What came out: findings, checks, and the numbers of all runs side by side.

import { select } from "d3-selection";
import * as format from "./format.js";

const get = (object, path) => path.split(".").reduce((at, name) => at?.[name], object);

function plain(path) {
	return path.endsWith("_ps")
		? format.ps
		: path.endsWith("_bytes")
			? format.bytes
			: path.endsWith("_bps")
				? format.rate
				: null;
}

// A value that a rule was checked against, as people read it.
function ruleValue(rule, value) {
	const path = rule.trim().split(/\s/)[0];
	const make =
		typeof value !== "number"
			? null
			: (plain(path) ??
				(/_ps\.\w+$|hosts_by_switch|by_node/.test(path)
					? format.ps
					: null));
	return value === null || value === undefined
		? "null"
		: make
			? make(value)
			: typeof value === "number"
				? format.count(value)
				: String(value);
}

function deadlock(s) {
	const d = s.deadlock;
	if (!d.found) return "none";
	return d.cleared_ps === null
		? `at ${format.ps(d.first_ps)}`
		: `${format.ps(d.first_ps)} … ${format.ps(d.cleared_ps)}`;
}

function metrics(summaries) {
	const rows = [];
	const add = (label, value, always = true) => {
		const cells = summaries.map(value);
		if (always || cells.some((cell) => cell !== "–" && cell !== "0"))
			rows.push({ label, cells });
	};
	const number = (path, make) => (s) => {
		const value = get(s, path);
		return value === null || value === undefined ? "–" : make(value);
	};
	const names = [...new Set(summaries.flatMap((s) => Object.keys(s.flows.by_name)))].sort();
	for (const name of names.slice(0, 12)) {
		const flow = (field, make) => (s) => {
			const value = get(s.flows.by_name[name], field);
			return value === null || value === undefined ? "–" : make(value);
		};
		add(`${name}: goodput`, flow("goodput_bps", format.rate));
		add(`${name}: FCT p50`, flow("fct_ps.p50", format.ps), false);
		add(`${name}: FCT p99`, flow("fct_ps.p99", format.ps), false);
		add(`${name}: failed`, flow("failed", format.count), false);
	}
	add("Goodput of all, whole run", number("flows.goodput_bps", format.rate));
	add("Flows unfinished", number("flows.unfinished", format.count), false);
	add("XOFF frames", number("pfc.xoff_frames", format.count));
	add("Paused, summed", number("pfc.paused_ps", format.ps));
	add("Longest pause", number("pfc.longest_pause_ps", format.ps));
	add("Frames marked", number("ecn.marked", format.count));
	add("Buffer peak", number("buffer.peak_bytes", format.bytes));
	for (const kind of ["lossless", "lossy", "watchdog", "wire", "ttl", "nic"])
		add(`Lost: ${kind}`, number(`drops.${kind}`, format.count), kind === "lossless");
	add("Deadlock", deadlock);
	add("Watchdog storms", number("watchdog.storms", format.count), false);
	add("Simulated", number("simulated_ps", format.ps));
	return rows;
}

function findings(box, runs) {
	const list = select(box).append("ul").attr("class", "findings");
	const add = (kind, tag, label, text) => {
		const item = list.append("li").attr("class", kind);
		item.append("span").attr("class", "tag").text(tag);
		item.append("b").text(runs.length > 1 ? `${label}: ` : "");
		item.append("span").text(text);
	};
	for (const { label, summary } of runs) {
		const grave = summary.findings.length - (summary.notes ?? 0);
		summary.findings.forEach((text, i) =>
			i < grave ? add("bad", "Finding", label, text) : add("note", "Note", label, text),
		);
		if (!summary.complete) add("bad", "Partial", label, "the run was interrupted");
	}
	const clean = runs
		.filter(({ summary }) => summary.findings.length === (summary.notes ?? 0))
		.map((run) => run.label);
	if (clean.length)
		add(
			"good",
			"Clean",
			format.list(clean, 20),
			"no lossless frame lost, no deadlock, no stall",
		);
}

function checks(box, runs) {
	const all = runs.flatMap((run) =>
		run.summary.expect.map((e) => ({ ...e, label: run.label })),
	);
	const passed = all.filter((e) => e.passed).length;
	const frame = select(box)
		.append("details")
		.attr("class", "checks")
		.property("open", passed < all.length || (all.length > 0 && all.length <= 6));

	frame.append("summary").text(
		all.length
			? `Checks: ${passed} of ${all.length} hold`
			: "Checks: this experiment states none",
	);
	const tr = frame
		.append("table")
		.append("tbody")
		.selectAll("tr")
		.data(all)
		.join("tr")
		.attr("class", (d) => (d.passed ? "good" : "bad"));
	tr.append("td")
		.append("span")
		.attr("class", "tag")
		.text((d) => (d.passed ? "✓ holds" : "✗ fails"));
	tr.append("td").text((d) => d.label);
	tr.append("td")
		.append("code")
		.text((d) => d.rule);
	tr.append("td").text((d) => ruleValue(d.rule, d.value));
}

// `runs`: all of the report, [{label, summary}]; onShow(i) loads one into the replay.
export function drawSummary(box, runs, onShow) {
	const first = runs[0].summary;

	findings(box, runs);
	checks(box, runs);
	const frame = select(box)
		.append("div")
		.attr("class", "numbers")
		.attr("tabindex", 0)
		.attr("role", "region")
		.attr("aria-label", "The numbers of all runs");
	const table = frame.append("table");
	const head = table.append("thead").append("tr");
	head.append("th").attr("scope", "col").text(`seed ${first.seed}`);
	runs.forEach((run, i) => {
		const th = head.append("th").attr("scope", "col");
		if (runs.length > 1)
			th.append("button")
				.attr("type", "button")
				.text(run.label)
				.attr("title", `Replay ${run.label}`)
				.on("click", () => onShow(i));
		else th.text(run.label);
	});
	const tr = table
		.append("tbody")
		.selectAll("tr")
		.data(metrics(runs.map((r) => r.summary)))
		.join("tr");
	tr.append("th")
		.attr("scope", "row")
		.text((d) => d.label);
	tr.selectAll("td")
		.data((d) => d.cells)
		.join("td")
		.text((d) => d);
	select(box)
		.append("p")
		.attr("class", "note")
		.text(
			`xoff ${first.version} (${first.commit}), ` +
				`${first.compiler}; digest ${runs
					.map((r) => r.summary.digest)
					.slice(0, 3)
					.join(", ")}`,
		);
}
