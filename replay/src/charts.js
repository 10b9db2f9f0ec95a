// Queue, rate and marks of some ports over the view, one line a port; with two
// runs the second one dashed.

import uPlot from "uplot";
import { select } from "d3-selection";
import * as format from "./format.js";

const LINES = 5;
const KINDS = [
	{
		name: "Egress queue",
		unit: format.bytes,
		value: (run, c, i) => (c.queue ? c.queue[i] : 0),
	},
	{
		name: "Ingress group",
		unit: format.bytes,
		value: (run, c, i) => (c.group ? c.group[i] : 0),
	},
	{ name: "Rate", unit: format.rate, stepped: true, value: (run, c, i) => run.rate(c, i) },
	{
		name: "Marked frames",
		unit: (v) => (v === null ? "" : `${format.count(Math.round(v))}`),
		stepped: true,
		value: (run, c, i) => (c.marked ? c.marked[i] : 0),
	},
];

// Ports worth a line: those that stood longest, those with the longest queues.
export function interesting(run) {
	const score = (c) =>
		(run.pausedFor.get(c.key) ?? 0) / run.end +
		c.queuePeak / Math.max(1, ...run.channels.map((o) => o.queuePeak));
	const cache = new Map(run.channels.map((c) => [c, score(c)]));
	return [...run.channels].sort((a, b) => cache.get(b) - cache.get(a) || a.key - b.key);
}

export class Charts {
	constructor(box, clock) {
		this.box = box;
		this.clock = clock;
		this.plots = [];
		const head = select(box).append("details").attr("class", "chooser");
		head.append("summary").text("Choose ports");
		this.options = head.append("div").attr("class", "options");
		this.place = select(box).append("div").attr("class", "plots");
	}

	show(runs) {
		const names = new Map();
		for (const run of runs)
			for (const c of interesting(run))
				if (!names.has(`${run.ports[c.port].name} p${c.prio}`))
					names.set(
						`${run.ports[c.port].name} p${c.prio}`,
						names.size,
					);
		this.runs = runs;
		this.names = [...names.keys()];
		this.chosen = new Set(this.names.slice(0, Math.min(4, LINES)));
		const label = this.options
			.selectAll("label")
			.data(this.names.slice(0, 400), (d) => d)
			.join((enter) => {
				const made = enter.append("label");
				made.append("input").attr("type", "checkbox");
				made.append("span");
				return made;
			});
		label.select("span").text((d) => d);
		label.select("input")
			.property("checked", (d) => this.chosen.has(d))
			.on("change", (event, d) => {
				this.toggle(d, event.target.checked);
			});
		this.draw();
	}

	toggle(name, on = !this.chosen.has(name)) {
		if (on) this.chosen.add(name);
		else this.chosen.delete(name);
		this.options
			.selectAll("label")
			.select("input")
			.property("checked", (d) => this.chosen.has(d));
		this.draw();
	}
	add(name) {
		if (this.names.includes(name)) this.toggle(name, true);
	}

	lines() {
		const out = [];
		for (const [k, run] of this.runs.entries())
			for (const c of run.channels) {
				const name = `${run.ports[c.port].name} p${c.prio}`;
				if (this.chosen.has(name))
					out.push({
						run,
						c,
						name,
						label:
							this.runs.length > 1
								? `${name}, ${run.label}`
								: name,
						dash: k ? [6, 4] : [],
						color: [...this.chosen].indexOf(name),
					});
			}
		return out;
	}

	draw() {
		for (const plot of this.plots) plot.destroy();
		const lines = this.lines();
		this.plots = lines.length
			? KINDS.filter((kind) =>
					lines.some(({ run, c }) =>
						run.frames.some(
							(_, i) => kind.value(run, c, i) > 0,
						),
					),
				).map((kind) => this.plot(kind, lines))
			: [];
		this.update();
	}

	plot(kind, lines) {
		const style = getComputedStyle(this.box),
			font = `14px ${style.fontFamily}`;
		const tables = this.runs.map((run) => [
			run.frames,
			...lines
				.filter((l) => l.run === run)
				.map(({ c }) =>
					Float64Array.from(run.frames, (_, i) =>
						kind.value(run, c, i),
					),
				),
		]);
		const axis = {
			stroke: style.color,
			font,
			labelFont: font,
			grid: { stroke: style.getPropertyValue("--grid"), width: 1 },
			ticks: { stroke: style.getPropertyValue("--grid"), width: 1 },
		};
		const paths = kind.stepped
			? uPlot.paths.stepped({ align: -1 })
			: uPlot.paths.linear();
		const options = {
			width: Math.max(300, this.box.clientWidth - 4),
			height: 190,
			title: kind.name,
			cursor: {
				drag: { x: true, y: false, setScale: false },
				sync: { key: "xoff" },
			},
			select: { show: true },
			scales: { x: { time: false, range: () => this.clock.view } },
			legend: { live: true },
			axes: [
				{ ...axis, space: 110, values: (u, times) => format.ticks(times) },
				{
					...axis,
					size: 86,
					values: (u, ticks) => ticks.map((v) => kind.unit(v)),
				},
			],
			series: [
				{
					label: "time",
					value: (u, v) =>
						v === null || v === undefined
							? "–"
							: format.time(v, 7),
				},
				...lines.map((l) => ({
					label: l.label,
					dash: l.dash,
					width: 2,
					paths,
					spanGaps: true,
					points: { show: false },
					stroke: style.getPropertyValue(`--line${l.color % 6}`),
					value: (u, v) =>
						v === null || v === undefined ? "–" : kind.unit(v),
				})),
			],
			hooks: {
				draw: [(u) => this.point(u)],
				setSelect: [
					(u) => {
						if (u.select.width > 4)
							this.clock.look(
								u.posToVal(u.select.left, "x"),
								u.posToVal(
									u.select.left +
										u.select.width,
									"x",
								),
							);
						u.setSelect(
							{ left: 0, width: 0, top: 0, height: 0 },
							false,
						);
					},
				],
			},
		};
		const data = tables.length > 1 ? uPlot.join(tables) : tables[0];
		const plot = new uPlot(options, data, this.place.node());
		const needle = select(plot.over).append("div").attr("class", "needle").node();
		plot.over.addEventListener("click", (event) => {
			if (event.detail === 1)
				this.clock.seek(plot.posToVal(plot.cursor.left, "x"));
		});
		plot.needle = needle;
		return plot;
	}

	resize() {
		for (const plot of this.plots)
			plot.setSize({
				width: Math.max(300, this.box.clientWidth - 4),
				height: 190,
			});
		this.update();
	}
	rescale() {
		for (const plot of this.plots)
			plot.setScale("x", { min: this.clock.view[0], max: this.clock.view[1] });
	}
	update() {
		for (const plot of this.plots) this.point(plot);
	}
	point(plot) {
		if (!plot.needle) return;
		const x = plot.valToPos(this.clock.now, "x");
		plot.needle.style.transform = `translateX(${x}px)`;
		plot.needle.hidden = !(x >= 0 && x <= plot.bbox.width / uPlot.pxRatio);
	}
}
