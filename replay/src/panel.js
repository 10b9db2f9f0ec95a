// All that one run shows at the present instant.

import { select } from "d3-selection";
import { Gantt } from "./gantt.js";
import { Queues } from "./queues.js";
import { Topology } from "./topology.js";
import { circleWords, prioritiesWords, rootOf, waitGraph } from "./waits.js";
import { WaitView } from "./waitview.js";
import { PRIOS } from "./run.js";
import * as format from "./format.js";

const STILL = 0.1; // s

// The switch to look at first: the one at which most chains of pauses end.
function busiest(run) {
	const weight = new Float64Array(run.nodes.length),
		{ n, start, key } = run.pauses;

	for (let i = 0; i < n; i += Math.ceil(n / 300)) {
		const root = rootOf(waitGraph(run, start[i]), key[i]);
		const at =
			root.kind === "queue"
				? root.key
				: root.kind === "circle"
					? root.keys[0]
					: root.port.peer * PRIOS;
		weight[run.portOf(at).node]++;
	}
	for (const c of run.channels) weight[run.ports[c.port].node] += c.queuePeak * 1e-9;
	const switches = run.nodes.filter((node) => node.isSwitch).map((node) => node.id);
	return switches.reduce((best, id) => (weight[id] > weight[best] ? id : best), switches[0]);
}

export class Panel {
	constructor(box, run, clock, { onPort }) {
		this.run = run;
		this.clock = clock;
		const panel = select(box)
			.append("article")
			.attr("class", "panel")
			.attr("aria-label", `Run ${run.label}`);
		const left = panel.append("div").attr("class", "panel-left");
		const right = panel.append("div").attr("class", "panel-right");
		const head = left.append("div").attr("class", "panel-head");
		head.append("h3").text(run.label);
		this.banner = head.append("p").attr("class", "banner").attr("role", "status");
		const frame = left.append("div").attr("class", "topology-frame");
		const zooms = frame.append("div").attr("class", "zooms");
		this.topology = new Topology(frame.node(), run, {
			onNode: (node) => this.choose(node),
			onPort: (port) => onPort(run.ports[port], port),
		});
		for (const [text, title, act] of [
			["+", "Enlarge", () => this.topology.zoomBy(1.4)],
			["−", "Reduce", () => this.topology.zoomBy(1 / 1.4)],
			["⌂", "Whole topology", () => this.topology.zoomReset()],
		])
			zooms.append("button")
				.attr("type", "button")
				.attr("aria-label", title)
				.attr("title", title)
				.text(text)
				.on("click", act);
		this.waits = new WaitView(
			right
				.append("div")
				.attr("class", "wait-frame")
				.attr("tabindex", 0)
				.attr("role", "region")
				.attr("aria-label", `Who waits on whom, ${run.label}`)
				.node(),
			run,
		);
		this.queues = new Queues(
			right.append("div").attr("class", "queue-frame").node(),
			run,
		);
		this.gantt = new Gantt(
			left.append("div").attr("class", "gantt-frame").node(),
			run,
			clock,
		);
		this.stale = 0;
		this.node = busiest(run);
		this.queues.choose(this.node);
	}

	choose(node) {
		this.node = node;
		this.queues.choose(node);
		this.update(0);
	}

	resize() {
		this.topology.resize();
		this.waits.resize();
		this.gantt.draw();
		this.update(0);
	}

	say({ graph, deadlock, t }) {
		const { run } = this;
		const text = deadlock
			? `Deadlock, ${format.age(t - deadlock.from)} old: ${circleWords(run, deadlock.cycle)}, ` +
				prioritiesWords(deadlock.cycle)
			: graph.size
				? `${format.plural(graph.size, "transmitter")} stopped; the longest for ` +
					format.age(
						t -
							Math.min(
								...[...graph.values()].map(
									(w) => w.since,
								),
							),
					)
				: "No pause";
		this.banner
			.classed("deadlocked", deadlock !== null)
			.text(text)
			// a reader is told when something new begins, not at each step of the clock
			.attr("aria-live", deadlock !== this.told ? "polite" : "off");
		this.told = deadlock;
	}

	update(elapsed, still) {
		const t = Math.min(this.clock.now, this.run.end);
		const frame = this.run.frameAt(t);
		const state = {
			t,
			frame,
			rateFrame: this.run.rateFrame(t),
			graph: waitGraph(this.run, t),
			deadlock: this.run.deadlockAt(t),
			selected: this.node,
		};

		this.topology.update(state);
		this.topology.flow(elapsed, still);
		this.gantt.update();
		// what is read, not watched, keeps still for a moment while the clock runs
		this.stale += elapsed;
		if (this.clock.playing && this.stale < STILL && state.deadlock === this.told)
			return;
		this.stale = 0;
		this.say(state);
		this.waits.update(state);
		this.queues.update(state);
	}
}
