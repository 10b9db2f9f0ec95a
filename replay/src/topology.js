// The fabric as a picture: links with their load, pauses, a pair of bars a port.
// Each direction of a link is a lane of its own, on the right of the way it goes.

import { select } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";
import * as format from "./format.js";
import { layout } from "./layout.js";
import { PRIOS } from "./run.js";

const LANE = 4.2; // px between the middle of a link and each lane
const FEW = 14; // pauses of which those of hosts have a label, too
const LABEL = { wide: 8.4, tall: 16 }; // px: of a character, of a line

const fitting = (text, width) => (text.length * LABEL.wide <= width ? text : "");

export class Topology {
	constructor(box, run, { onNode, onPort }) {
		this.box = box;
		this.run = run;
		this.handlers = { onNode, onPort };
		this.phase = 0;
		this.svg = select(box)
			.append("svg")
			.attr("class", "topology")
			.attr("role", "group")
			.attr("aria-label", `Topology of ${run.label}`);
		this.canvas = select(box)
			.append("canvas")
			.attr("class", "stream")
			.attr("aria-hidden", "true")
			.node();
		this.scene = this.svg.append("g");
		this.transform = zoomIdentity;
		this.zoom = zoom()
			.scaleExtent([0.5, 12])
			.filter((event) => event.type !== "wheel" || event.ctrlKey || event.metaKey)
			.on("zoom", (event) => {
				this.transform = event.transform;
				this.scene.attr("transform", event.transform);
				this.flow(0);
			});
		this.svg.call(this.zoom).on("dblclick.zoom", null);
	}

	zoomBy(factor) {
		this.svg.call(this.zoom.scaleBy, factor);
	}
	zoomReset() {
		this.svg.call(this.zoom.transform, zoomIdentity);
	}

	// Draws everything anew for the size of the box.
	resize() {
		const width = this.box.clientWidth,
			height = this.box.clientHeight;
		if (!width || !height) return;
		const scale = window.devicePixelRatio || 1;
		this.canvas.width = width * scale;
		this.canvas.height = height * scale;
		this.color = getComputedStyle(this.box).getPropertyValue("--flow");
		this.svg.attr("viewBox", `0 0 ${width} ${height}`);
		this.place = layout(this.run, width, height);
		this.scene.selectAll("*").remove();
		this.drawLanes();
		this.drawNodes();
		this.pauses = this.scene.append("g");
		this.ages = this.scene.append("g").attr("class", "ages");
		this.drawnLoads = new Int8Array(this.run.ports.length).fill(-1);
		this.state = null;
	}

	drawLanes() {
		const { run, place } = this;
		this.lanes = run.ports.map((port) => {
			const a = place.ports[port.id],
				b = place.ports[port.peer];
			const at = a ?? place.nodes[port.node],
				to = b ?? place.nodes[run.ports[port.peer].node];
			const end = (p, node, other) => {
				if (run.nodes[node].isSwitch) return p;
				const host = place.nodes[node]; // a host: its border
				const dx = other.x - host.x,
					dy = other.y - host.y;
				const reach = Math.min(
					host.w / 2 / Math.max(1e-9, Math.abs(dx)),
					host.h / 2 / Math.max(1e-9, Math.abs(dy)),
				);
				return { x: host.x + dx * reach, y: host.y + dy * reach };
			};
			const peer = run.ports[port.peer].node;
			let from = end(at, port.node, to),
				till = end(to, peer, at);
			const length = Math.hypot(till.x - from.x, till.y - from.y) || 1;
			const nx = (-(till.y - from.y) / length) * LANE,
				ny = ((till.x - from.x) / length) * LANE;
			const node = place.nodes[port.node];
			return {
				port: port.id,
				length,
				crowd: run.nodes[port.node].isSwitch ? 17 : (node.gap ?? 17),
				x1: from.x + nx,
				y1: from.y + ny,
				x2: till.x + nx,
				y2: till.y + ny,
			};
		});
		this.lane = this.scene
			.append("g")
			.attr("class", "lanes")
			.selectAll("line")
			.data(this.lanes)
			.join("line")
			.attr("class", "lane")
			.attr("x1", (d) => d.x1)
			.attr("y1", (d) => d.y1)
			.attr("x2", (d) => d.x2)
			.attr("y2", (d) => d.y2)
			.on("click", (event, d) => this.handlers.onPort(d.port));
		this.lane.append("title");
	}

	drawNodes() {
		const { run, place } = this;
		const node = this.scene
			.append("g")
			.selectAll("g")
			.data(run.nodes)
			.join("g")
			.attr("class", (d) => (d.isSwitch ? "node switch" : "node host"))
			.attr(
				"transform",
				(d) => `translate(${place.nodes[d.id].x},${place.nodes[d.id].y})`,
			);
		node.append("rect")
			.attr("rx", (d) => (d.isSwitch ? 6 : 4))
			.attr("x", (d) => -place.nodes[d.id].w / 2)
			.attr("y", (d) => -place.nodes[d.id].h / 2)
			.attr("width", (d) => place.nodes[d.id].w)
			.attr("height", (d) => place.nodes[d.id].h);
		node.append("title").text((d) => d.name);
		node.filter((d) => d.isSwitch)
			.attr("tabindex", 0)
			.attr("role", "button")
			.attr("aria-label", (d) => `Show the queues of ${d.name}`)
			.on("click", (event, d) => this.handlers.onNode(d.id))
			.on("keydown", (event, d) => {
				if (event.key === "Enter") this.handlers.onNode(d.id);
			});
		this.drawLabels(node);
		this.node = node;
		this.bars = [];
		for (const sw of run.nodes)
			if (sw.isSwitch && place.nodes[sw.id].bar >= 2.5)
				this.drawBars(sw, place.nodes[sw.id]);
	}

	drawLabels(node) {
		const { run, place } = this;
		node.filter((d) => d.isSwitch)
			.append("text")
			.attr("y", (d) => {
				const at = place.nodes[d.id];
				const rows = new Set(d.ports.map((p) => place.ports[p]?.row));
				if (at.h < 40) return 5;
				return place.shape === "ring" || !rows.has("up")
					? -at.h / 2 + 18
					: rows.has("down")
						? 5
						: at.h / 2 - 10;
			})
			.text((d) => fitting(d.name, place.nodes[d.id].w));
		const names = this.groupNames();
		node.filter((d) => !d.isSwitch)
			.append("text")
			.attr("y", (d) => (place.nodes[d.id].inside ? 5 : 22))
			.text((d) => {
				const at = place.nodes[d.id];
				return at.inside
					? fitting(d.name, at.w + 4)
					: (names.get(d.id) ?? "");
			});
	}

	// Hosts too narrow for their names: one text a switch, under the host in the
	// middle; with all of them if it fits, or how many, or none.
	groupNames() {
		const { run, place } = this,
			groups = new Map(),
			names = new Map();
		for (const host of run.nodes.filter((n) => !n.isSwitch && n.ports.length)) {
			const leaf = run.ports[run.ports[host.ports[0]].peer].node;
			groups.set(leaf, [...(groups.get(leaf) ?? []), host]);
		}
		for (const hosts of groups.values()) {
			const first = hosts[0],
				last = hosts[hosts.length - 1];
			const span = (place.nodes[last.id].x - place.nodes[first.id].x) * 1.15;
			const texts = [
				`${first.name} … ${last.name}`,
				`${first.name} …`,
				`${hosts.length}`,
			];
			names.set(
				hosts[Math.floor((hosts.length - 1) / 2)].id,
				texts.find((text) => fitting(text, span)) ?? "",
			);
		}
		return names;
	}

	// Left what the ingress group holds, with XOFF and XON; right the egress queue,
	// with Kmin and Kmax.
	drawBars(sw, at) {
		const { run, place } = this;
		const tall = at.tall,
			wide = at.bar,
			foot = at.numbers ? 20 : 4;
		for (const id of sw.ports) {
			const anchor = place.ports[id];
			if (!anchor || !run.channelsOfPort[id].length) continue;
			const base =
				anchor.row === "up"
					? at.y - at.h / 2 + tall + 4
					: at.y + at.h / 2 - foot;
			const g = this.scene
				.append("g")
				.attr("class", "bars")
				.attr("transform", `translate(${anchor.slot},${base})`);
			const bar = (kind, x) => {
				g.append("rect")
					.attr("class", "frame")
					.attr("x", x)
					.attr("y", -tall)
					.attr("width", wide)
					.attr("height", tall);
				const fill = g
					.append("rect")
					.attr("class", `fill ${kind}`)
					.attr("x", x)
					.attr("width", wide);
				const mark = (name) =>
					g
						.append("line")
						.attr("class", `mark ${name}`)
						.attr("x1", x - 1)
						.attr("x2", x + wide + 1);
				return {
					fill,
					high: mark(kind === "group" ? "xoff" : "kmax"),
					low: mark(kind === "group" ? "xon" : "kmin"),
				};
			};
			if (at.numbers) g.append("text").attr("y", 16).text(run.ports[id].number);
			g.append("title").text(
				`${run.ports[id].name}: left its ingress group, right its egress queue`,
			);
			this.bars.push({
				id,
				tall,
				group: bar("group", -wide - 1),
				queue: bar("queue", 1),
			});
		}
	}

	// ---- an instant -----------------------------------------------------------

	update(state) {
		if (!this.place) return;
		const { run } = this;
		this.state = state;
		this.rates = new Float64Array(run.ports.length);
		for (const c of run.channels)
			if (!state.graph.has(c.key))
				this.rates[c.port] += run.rate(c, state.rateFrame);
		this.updateLanes(state);
		for (const bar of this.bars) this.updateBars(bar, state);
		this.updatePauses(state);
		this.node.classed("selected", (d) => d.id === state.selected);
	}

	updateLanes() {
		const { run, rates, drawnLoads } = this;
		this.lane.each(function (d) {
			const load = Math.min(1, rates[d.port] / run.ports[d.port].rate);
			const step = load > 0 ? Math.max(1, Math.ceil(load * 16)) : 0;
			if (drawnLoads[d.port] === step) return;
			drawnLoads[d.port] = step;
			this.style.setProperty("--load", step / 16);
			this.classList.toggle("idle", step === 0);
			this.firstChild.textContent =
				`${run.ports[d.port].name} to ${run.peerNode(run.ports[d.port]).name}: ` +
				`${format.rate(rates[d.port])} of ${format.rate(run.ports[d.port].rate)}`;
		});
	}

	updateBars({ id, tall, group, queue }, { frame }) {
		const fullest = (level) =>
			this.run.channelsOfPort[id].reduce((best, c) =>
				level(c) > level(best) ? c : best,
			);
		const held = fullest((c) => (c.group ? c.group[frame] : 0));
		const waits = fullest((c) => (c.queue ? c.queue[frame] : 0));
		const xoff = held.xoff(frame) ?? 0,
			full = Math.max(1, xoff * 1.35);
		const top = waits.kmax
			? waits.kmax * 1.35
			: Math.max(1, waits.queuePeak * 1.1, full);
		const set = (bar, value, whole, high, low) => {
			const y = (v) => -tall * Math.min(1, v / whole);
			bar.fill.attr("y", y(value)).attr("height", -y(value));
			bar.high
				.attr("y1", y(high ?? 0))
				.attr("y2", y(high ?? 0))
				.attr("display", high ? null : "none");
			bar.low
				.attr("y1", y(low ?? 0))
				.attr("y2", y(low ?? 0))
				.attr("display", low ? null : "none");
		};
		set(group, held.group ? held.group[frame] : 0, full, xoff, held.xon(frame));
		set(queue, waits.queue ? waits.queue[frame] : 0, top, waits.kmax, waits.kmin);
	}

	// A stopped lane: its colour tells the priority, and so does its label.
	updatePauses({ graph, t, deadlock }) {
		const { run, lanes } = this;
		const stuck = new Set(deadlock ? deadlock.cycle : []);
		const rows = [...graph.values()].sort(
			(a, b) => stuck.has(a.key) - stuck.has(b.key) || a.key - b.key,
		);
		const g = this.pauses
			.selectAll("g.pause")
			.data(rows, (d) => d.key)
			.join((enter) => {
				const made = enter.append("g");
				for (const line of ["outline", "stop", "core"])
					made.append("line").attr("class", line);
				const badge = made.append("g");
				badge.append("rect")
					.attr("class", "badge")
					.attr("x", -8)
					.attr("y", -8)
					.attr("width", 16)
					.attr("height", 16)
					.attr("rx", 3);
				badge.append("path")
					.attr("class", "bars")
					.attr("d", "M-4,-4h3v8h-3z M1,-4h3v8h-3z");
				return made;
			});
		g.attr(
			"class",
			(d) => `pause p${d.key % PRIOS}${stuck.has(d.key) ? " deadlocked" : ""}`,
		)
			.attr("data-port", (d) => run.name(d.key))
			.attr("data-prio", (d) => d.key % PRIOS);
		g.selectAll("line")
			.attr("x1", (d) => this.laneOf(d).x1)
			.attr("y1", (d) => this.laneOf(d).y1)
			.attr("x2", (d) => this.laneOf(d).x2)
			.attr("y2", (d) => this.laneOf(d).y2);
		g.select("g").attr("transform", (d) => {
			const lane = lanes[Math.floor(d.key / PRIOS)],
				share = Math.min(0.5, 13 / lane.length);
			const size = Math.min(1, lane.crowd / 17);
			return (
				`translate(${lane.x1 + (lane.x2 - lane.x1) * share},` +
				`${lane.y1 + (lane.y2 - lane.y1) * share}) scale(${size})`
			);
		});
		this.ages
			.selectAll("text")
			.data(this.labels(rows, stuck, t), (d) => d.key)
			.join("text")
			.classed("deadlocked", (d) => stuck.has(d.key))
			.attr("x", (d) => d.x)
			.attr("y", (d) => d.y)
			.attr("text-anchor", (d) => d.anchor)
			.text((d) => d.text);
	}

	// As many as find room, the gravest and oldest first; one for what stops as one.
	labels(rows, stuck, t) {
		const out = [],
			boxes = [];
		const roomy = (d) => this.laneOf(d).crowd >= 56;
		const wanted = rows
			.filter(
				(d) =>
					this.run.nodeOf(d.key).isSwitch ||
					(rows.length <= FEW && roomy(d)),
			)
			.sort((a, b) => stuck.has(b.key) - stuck.has(a.key) || a.since - b.since);

		const asOne = (d) => `${Math.floor(d.key / PRIOS)} ${d.since}`,
			prios = new Map();
		for (const d of wanted) prios.set(asOne(d), [...(prios.get(asOne(d)) ?? []), d.key % PRIOS]);
		for (const d of wanted) {
			if (!prios.has(asOne(d))) continue;
			const text = `p${prios.get(asOne(d)).sort()} ${format.age(t - d.since)}`;
			prios.delete(asOne(d));
			const wide = text.length * LABEL.wide;
			const places = this.labelPlaces(d).map((at) => {
				const left =
					at.x -
					(at.anchor === "middle"
						? wide / 2
						: at.anchor === "end"
							? wide
							: 0);
				return {
					...at,
					box: [left, at.y - LABEL.tall, left + wide, at.y + 2],
				};
			});
			const free = places.find(
				({ box }) =>
					!boxes.some(
						(b) =>
							box[0] < b[2] &&
							b[0] < box[2] &&
							box[1] < b[3] &&
							b[1] < box[3],
					),
			);
			const at = free ?? (stuck.has(d.key) ? places[0] : null);
			if (!at) continue;
			boxes.push(at.box);
			out.push({ key: d.key, x: at.x, y: at.y, anchor: at.anchor, text });
		}
		return out;
	}

	laneOf(d) {
		return this.lanes[Math.floor(d.key / PRIOS)];
	}
	// Where its label may stand, best first.
	labelPlaces(d) {
		const lane = this.laneOf(d),
			dx = lane.x2 - lane.x1,
			dy = lane.y2 - lane.y1;
		const nx = -dy / lane.length,
			ny = dx / lane.length;
		const flat = Math.abs(nx) < 0.5;
		if (this.place.ports[lane.port]?.row !== "side" && this.place.shape !== "ring") {
			// beside its badge
			const share = Math.min(0.5, 13 / lane.length);
			const x = lane.x1 + dx * share,
				y = lane.y1 + dy * share + (dy > 0 ? 18 : -8);
			return [
				{ x: x + 12, y, anchor: "start" },
				{ x: x - 12, y, anchor: "end" },
				...[0.4, 0.6].map((part) => ({
					x: lane.x1 + dx * part,
					y: lane.y1 + dy * part + 5,
					anchor: "middle",
				})),
			];
		}
		return [
			{
				x: (lane.x1 + lane.x2) / 2 + nx * 9,
				y: (lane.y1 + lane.y2) / 2 + ny * 17 + 5,
				anchor: flat ? "middle" : nx > 0 ? "start" : "end",
			},
		];
	}

	// ---- what moves -----------------------------------------------------------

	// Dashes that run along each lane, faster and closer the more it carries.
	flow(elapsed, still = false) {
		const context = this.canvas.getContext("2d"),
			scale = window.devicePixelRatio || 1;
		context.setTransform(1, 0, 0, 1, 0, 0);
		context.clearRect(0, 0, this.canvas.width, this.canvas.height);
		if (!this.rates || !this.lanes || still) return;
		const { k, x, y } = this.transform;
		context.setTransform(scale * k, 0, 0, scale * k, scale * x, scale * y);
		this.phase += elapsed;
		context.lineWidth = 2;
		context.strokeStyle = this.color;
		for (const lane of this.lanes) {
			const load = Math.min(
				1,
				this.rates[lane.port] / this.run.ports[lane.port].rate,
			);
			if (load <= 0) continue;
			const gap = 6 + 30 * (1 - load) ** 2,
				period = 5 + gap;
			context.setLineDash([5, gap]);
			context.lineDashOffset = -((this.phase * (24 + 96 * load)) % period);
			context.beginPath();
			context.moveTo(lane.x1, lane.y1);
			context.lineTo(lane.x2, lane.y2);
			context.stroke();
		}
	}
}
