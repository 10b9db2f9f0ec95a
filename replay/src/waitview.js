// The wait-for graph of an instant: who waits on whom, drawn and said.

import { select } from "d3-selection";
import { circleWords, prioritiesWords, waitGraph, waitPicture, waitWords } from "./waits.js";
import * as format from "./format.js";

const PILL = 26,
	PAD = 12,
	GAP = 14,
	SENTENCES = 8,
	ROOM = 36;

// Steps from where a chain ends; what is on a circle shares the step of its members.
function depths(nodes, circle) {
	const byId = new Map(nodes.map((n) => [n.id, n])),
		depth = new Map();
	const visit = (node, way) => {
		if (circle.has(node.id)) return 0;
		if (depth.has(node.id)) return depth.get(node.id);
		if (way.has(node.id)) return 0; // a circle that is no deadlock: cut here
		way.add(node.id);
		const under = node.to
			.map((id) => byId.get(id))
			.filter(Boolean)
			.map((n) => visit(n, way));
		way.delete(node.id);
		const d = under.length ? 1 + Math.max(...under) : 0;
		depth.set(node.id, d);
		return d;
	};
	for (const node of nodes) node.depth = visit(node, new Set());
}

export class WaitView {
	constructor(box, run) {
		this.run = run;
		this.head = select(box).append("h3").attr("class", "wait-head");
		this.svg = select(box).append("svg").attr("class", "waits").attr("role", "img");
		this.list = select(box).append("ul").attr("class", "wait-list");
		this.box = box;
		this.ruler = document.createElement("canvas").getContext("2d");
	}

	resize() {
		this.room = Math.max(240, this.box.clientWidth - 20);
		this.ruler.font = `14px ${getComputedStyle(this.box).fontFamily}`;
		this.signature = null;
	}

	wide(node) {
		return Math.ceil(this.ruler.measureText(node.label).width) + PAD;
	}

	update({ graph, t, deadlock }) {
		const { run } = this;
		const signature = `${[...graph.keys()].join()}/${deadlock ? deadlock.from : ""}`;
		const n = graph.size;

		this.head
			.classed("deadlocked", deadlock !== null)
			.text(
				deadlock
					? `Deadlock since ${format.time(deadlock.from)}`
					: n
						? `${format.plural(n, "transmitter")} stopped`
						: "Nobody waits",
			);
		if (signature !== this.signature) {
			this.signature = signature;
			this.draw(waitPicture(run, graph), new Set(deadlock ? deadlock.cycle : []));
		}
		const on = new Set(deadlock ? deadlock.cycle : []);
		const lines = [...graph.values()].sort(
			(a, b) =>
				on.has(b.key) - on.has(a.key) ||
				run.nodeOf(b.key).isSwitch - run.nodeOf(a.key).isSwitch ||
				a.since - b.since,
		);
		const texts = lines
			.slice(0, SENTENCES)
			.map((wait) => `${waitWords(run, wait, t, graph)}.`);
		if (lines.length > SENTENCES) texts.push(`… and ${lines.length - SENTENCES} more.`);
		if (deadlock)
			texts.unshift(
				`${circleWords(run, deadlock.cycle)}: each waits for the next, ` +
					`${prioritiesWords(deadlock.cycle)}. None of them can ever send again unless ` +
					`something outside steps in.`,
			);
		this.list
			.selectAll("li")
			.data(texts)
			.join("li")
			.classed("circle", (_, i) => deadlock !== null && i === 0)
			.text((d) => d);
	}

	draw(nodes, circle) {
		const { room } = this;
		const shown = nodes.length > ROOM ? nodes.filter((n) => n.kind !== "hosts") : nodes;
		for (const node of shown) node.w = this.wide(node);
		const { edges, width, height } = circle.size
			? this.placeCircle(shown, circle, room)
			: this.placeColumns(shown, room);

		this.svg
			.attr("viewBox", `0 0 ${width} ${height}`)
			.attr("width", width)
			.attr("height", height)
			.attr(
				"aria-label",
				`${nodes.length} queues in the wait-for graph; the list below says the same`,
			);
		this.svg.selectAll("*").remove();
		this.svg
			.append("defs")
			.append("marker")
			.attr("id", `arrow-${this.run.id}`)
			.attr("viewBox", "0 0 8 8")
			.attr("refX", 7)
			.attr("refY", 4)
			.attr("markerWidth", 7)
			.attr("markerHeight", 7)
			.attr("orient", "auto")
			.append("path")
			.attr("d", "M0,0L8,4L0,8z")
			.attr("class", "arrow");
		this.svg
			.selectAll("path.wait")
			.data(edges)
			.join("path")
			.attr(
				"class",
				(d) =>
					`wait${circle.has(d.from.id) && circle.has(d.to.id) ? " deadlocked" : ""}`,
			)
			.attr("marker-end", `url(#arrow-${this.run.id})`)
			.attr("d", (d) => this.arrow(d));
		const g = this.svg
			.selectAll("g.pill")
			.data(shown)
			.join("g")
			.attr(
				"class",
				(d) => `pill ${d.kind}${circle.has(d.id) ? " deadlocked" : ""}`,
			)
			.attr("transform", (d) => `translate(${d.x},${d.y})`);
		g.append("rect")
			.attr("x", (d) => -d.w / 2)
			.attr("y", -PILL / 2)
			.attr("width", (d) => d.w)
			.attr("height", PILL)
			.attr("rx", 6);
		g.append("text")
			.attr("y", 5)
			.text((d) => d.label);
		g.append("title").text((d) =>
			format.list(
				[...new Set(d.keys.map((key) => this.run.name(key)))],
				40,
			),
		);
	}

	arrow({ from, to }) {
		const dx = to.x - from.x,
			dy = to.y - from.y;
		const leave = (node, x, y) => {
			const reach = Math.min(
				node.w / 2 / Math.max(1e-9, Math.abs(x)),
				PILL / 2 / Math.max(1e-9, Math.abs(y)),
			);
			return { x: node.x + x * reach, y: node.y + y * reach };
		};
		const a = leave(from, dx, dy),
			b = leave(to, -dx, -dy);
		return `M${a.x},${a.y}L${b.x},${b.y}`;
	}

	edges(nodes) {
		const byId = new Map(nodes.map((n) => [n.id, n]));
		return nodes.flatMap((from) =>
			from.to
				.filter((id) => byId.has(id))
				.map((id) => ({ from, to: byId.get(id) })),
		);
	}

	// Ends of chains on the right, what waits for them to the left.
	placeColumns(nodes, room) {
		depths(nodes, new Set());
		const deepest = Math.max(0, ...nodes.map((n) => n.depth));
		const columns = Array.from({ length: deepest + 1 }, (_, d) =>
			nodes.filter((n) => n.depth === d),
		);
		const tallest = Math.max(1, ...columns.map((c) => c.length));
		const height = Math.max(40, Math.min(tallest * (PILL + 8), 300) + 8);
		const widths = columns.map((c) => Math.max(...c.map((n) => n.w)));
		const least = widths.reduce((a, b) => a + b, 4),
			width = Math.max(room, least + GAP * deepest);
		const gap = deepest ? (width - least) / deepest : 0;
		let right = width - 2;

		columns.forEach((column, d) => {
			const order = (n) =>
				n.to
					.map((id) => nodes.find((m) => m.id === id)?.y ?? 0)
					.reduce((a, b) => a + b, 0) / Math.max(1, n.to.length);
			column.sort((a, b) => order(a) - order(b) || (a.label < b.label ? -1 : 1));
			column.forEach((n, i) => {
				n.x = deepest ? right - widths[d] / 2 : width / 2;
				n.y = 4 + ((height - 8) * (i + 0.5)) / column.length;
			});
			right -= widths[d] + gap;
		});
		return { edges: this.edges(nodes), width, height };
	}

	// The circle in the middle, everything else outside, beside what it waits for.
	placeCircle(nodes, circle, width) {
		const ring = [...circle]
			.map((id) => nodes.find((n) => n.id === id))
			.filter(Boolean);
		const start = ring.length === 4 ? (-Math.PI * 3) / 4 : -Math.PI / 2,
			turn = (i) => start + (2 * Math.PI * i) / ring.length;
		const rest = nodes.filter((n) => !circle.has(n.id));
		// beside which of the corners: the places depend on it alone
		const corners = new Map();
		for (const n of rest) {
			const target = ring.find((r) => n.to.includes(r.id));
			const angle = target ? turn(ring.indexOf(target)) : Math.PI / 2;
			n.right = Math.sign(Math.cos(angle) || 1);
			n.below = Math.sign(Math.sin(angle) || 1);
			const corner = `${n.right}${n.below}`;
			n.nth = corners.get(corner) ?? 0;
			corners.set(corner, n.nth + 1);
		}
		const rx = Math.min(width * 0.24, 110),
			ry = 44,
			rows = Math.ceil(Math.max(0, ...corners.values()) / 2),
			outside = rows ? 18 + 30 * rows : 0;
		const height = 2 * (ry + outside + PILL / 2 + 6);

		ring.forEach((n, i) => {
			n.x = width / 2 + rx * Math.cos(turn(i));
			n.y = height / 2 + ry * Math.sin(turn(i));
		});
		for (const n of rest) {
			const x =
				width / 2 +
				(rx + n.w * 0.75 + 16) * n.right * (n.nth % 2 ? 0.4 : 1);
			n.x = Math.min(width - n.w / 2 - 2, Math.max(n.w / 2 + 2, x));
			n.y = Math.min(
				height - PILL / 2 - 2,
				Math.max(
					PILL / 2 + 2,
					height / 2 +
						n.below * (ry + 44 + 30 * Math.floor(n.nth / 2)),
				),
			);
		}
		return { edges: this.edges(nodes), width, height };
	}
}
