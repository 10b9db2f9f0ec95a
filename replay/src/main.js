// The page: reads the data, builds the parts, and lets the clock drive them.
// The address may say where to begin: #a=NAME&b=NAME&t=12.5us

import { select } from "d3-selection";
import { Charts } from "./charts.js";
import { Clock } from "./clock.js";
import { readRuns } from "./data.js";
import { Events } from "./events.js";
import { Panel } from "./panel.js";
import { Params } from "./params.js";
import { drawSummary } from "./summary.js";
import { Transport } from "./transport.js";

const UNITS = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 };

// The run that a reader wants to see first: a deadlock, then a loss, else the first.
function worst(runs) {
	const rank = ({ summary: s }) => (s.deadlock.found ? 2 : s.drops.lossless ? 1 : 0);
	return runs.reduce((best, run, i) => (rank(run) > rank(runs[best]) ? i : best), 0);
}

class Page {
	constructor(runs) {
		this.runs = runs;
		this.still = matchMedia("(prefers-reduced-motion: reduce)");
		this.params = new Params(select("#params").append("div").node());
		this.fillChoosers();
		drawSummary(select("#summary-body").node(), runs, (i) => {
			this.shown = [i];
			this.show().then(() => document.querySelector("#replay").scrollIntoView());
		});
		this.still.addEventListener("change", () => this.setMotion());
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
			this.redraw(),
		);
		select("#theme").on("change", (event) => {
			document.documentElement.dataset.theme = event.target.value;
			this.redraw();
		});
		let waiting = 0;
		new ResizeObserver(() => {
			clearTimeout(waiting);
			waiting = setTimeout(() => this.redraw(), 80);
		}).observe(document.querySelector("#panels"));
	}

	fillChoosers() {
		const fill = (id, none) =>
			select(id)
				.selectAll("option")
				.data(none ? [-1, ...this.runs.keys()] : [...this.runs.keys()])
				.join("option")
				.attr("value", (i) => i)
				.text((i) => (i < 0 ? "nothing" : this.runs[i].label));
		fill("#run-a", false);
		fill("#run-b", true);
		select("#choosers").attr("hidden", this.runs.length > 1 ? null : "");
		const change = () => {
			const a = Number(select("#run-a").property("value")),
				b = Number(select("#run-b").property("value"));
			this.shown = b >= 0 && b !== a ? [a, b] : [a];
			this.show();
		};
		select("#run-a").on("change", change);
		select("#run-b").on("change", change);
	}

	setMotion() {
		this.clock.calm = this.still.matches;
	}

	// Loads the runs that `shown` names and builds everything that depends on them.
	async show() {
		const now = this.clock?.now ?? null;
		this.clock?.play(false);
		select("#run-a").property("value", this.shown[0]);
		select("#run-b").property("value", this.shown[1] ?? -1);
		const runs = await Promise.all(this.shown.map((i) => this.runs[i].load()));
		runs.forEach((run, i) => {
			run.id = i;
		});
		const end = Math.max(...runs.map((run) => run.end));
		for (const id of ["#panels", "#charts-body", "#events-body", "#transport"])
			select(id).selectAll("*").remove();
		if (this.transport)
			document.removeEventListener("keydown", this.transport.listener);
		this.clock = new Clock(end);
		this.setMotion();
		const at = now === null ? this.begin(runs[0]) : Math.min(now, end);
		const focus = Math.max(...runs.map((run) => run.focus()[1]));
		// a deadlock in the first moments of a long run: those moments
		const closed = runs[0].deadlocks[0]?.from ?? Infinity;
		const early = now === null && at > closed / 2 && at < 2 * closed && at < focus / 8;
		this.clock.view = [0, early ? at * 1.6 : focus];
		this.transport = new Transport(select("#transport").node(), this.clock);
		select("#panels").classed("pair", runs.length > 1);
		this.charts = new Charts(select("#charts-body").node(), this.clock);
		this.panels = runs.map(
			(run) =>
				new Panel(select("#panels").node(), run, this.clock, {
					onPort: (port) =>
						run.channelsOfPort[port.id].forEach((c) =>
							this.charts.add(`${port.name} p${c.prio}`),
						),
				}),
		);
		this.events = runs.map(
			(run) =>
				new Events(
					select("#events-body").append("div").node(),
					run,
					this.clock,
				),
		);
		select("#events-body").classed("pair", runs.length > 1);
		this.params.show(runs);
		this.transport.show(runs);
		this.charts.show(runs);
		this.clock.listen((change) => this.follow(change));
		for (const panel of this.panels) panel.resize();
		this.clock.seek(at);
	}

	// Where to begin: a deadlock, if there is one, has just closed.
	begin(run) {
		const wanted = /[#&]t=([\d.]+)(ns|us|µs|ms|s)/.exec(
			decodeURIComponent(location.hash),
		);
		if (wanted) return Math.min(this.clock.end, Number(wanted[1]) * UNITS[wanted[2]]);
		return run.deadlocks.length ? run.deadlocks[0].from : 0;
	}

	follow({ view, elapsed }) {
		this.transport.update();
		if (view) {
			for (const panel of this.panels) panel.gantt.draw();
			this.charts.rescale();
		}
		for (const panel of this.panels) panel.update(elapsed, this.still.matches);
		this.charts.update();
		for (const events of this.events) events.update();
	}

	redraw() {
		if (!this.panels) return;
		for (const panel of this.panels) panel.resize();
		this.charts.draw();
	}
}

// #a=NAME&b=NAME
function fromAddress(runs) {
	const named = (key) => {
		const found = new RegExp(`[#&]${key}=([^&]*)`).exec(location.hash);
		return found
			? runs.findIndex((run) => run.label === decodeURIComponent(found[1]))
			: -1;
	};
	const a = named("a"),
		b = named("b");
	if (a >= 0) return b >= 0 && b !== a ? [a, b] : [a];
	return runs.length === 2 ? [0, 1] : [worst(runs)];
}

async function start() {
	const runs = await readRuns(document),
		first = runs[0].summary;
	const names = [...new Set(runs.map((run) => run.summary.experiment))];

	document.title = `${names.join(", ")}: xoff report`;
	select("#title").text(names.join(", "));
	const page = new Page(runs);
	page.shown = fromAddress(runs);
	await page.show();
	select("#about").text((await runs[page.shown[0]].load()).resolved.about ?? "");
	select("#loading").remove();
	document.documentElement.dataset.ready = first.digest;
}

start().catch((error) => {
	select("#loading")
		.attr("role", "alert")
		.text(`This report cannot be shown: ${error.message}`);
	throw error;
});
