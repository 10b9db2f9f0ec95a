// The queues of one switch at an instant, large: what each ingress group holds
// against XOFF and XON, what waits at each egress against Kmin and Kmax.

import { select } from "d3-selection";
import * as format from "./format.js";

const WIDE = 76,
	TALL = 16;

export class Queues {
	constructor(box, run) {
		this.run = run;
		this.head = select(box).append("h3");
		this.table = select(box)
			.append("div")
			.attr("class", "queues")
			.attr("tabindex", 0)
			.attr("role", "region")
			.attr("aria-label", "Queues of the selected switch")
			.append("table");
		const head = this.table.append("thead").append("tr");
		head.append("th").attr("scope", "col").text("Port");
		head.append("th").attr("scope", "col").text("In (XOFF, XON)");
		head.append("th").attr("scope", "col").text("Out (Kmin, Kmax)");
		this.body = this.table.append("tbody");
	}

	choose(node) {
		const { run } = this;
		const channels = run.nodes[node].ports
			.flatMap((p) => run.channelsOfPort[p])
			.filter((c) => c.groupPeak || c.queuePeak);
		const whole = Math.max(
			1,
			...channels.map((c) =>
				Math.max(
					c.groupPeak,
					c.limit
						? c.limit.reduce((a, b) => Math.max(a, b), 0) +
								c.headroom * 0.25
						: 0,
				),
			),
		);
		const out = Math.max(
			1,
			...channels.map((c) => Math.max(c.queuePeak, (c.kmax ?? 0) * 1.15)),
		);

		this.node = node;
		this.head.text(`Queues of ${run.nodes[node].name}`);
		this.rows = channels
			.sort(
				(a, b) =>
					Math.max(b.groupPeak, b.queuePeak) -
					Math.max(a.groupPeak, a.queuePeak),
			)
			.slice(0, 40)
			.sort((a, b) => a.port - b.port || a.prio - b.prio);
		const tr = this.body
			.selectAll("tr")
			.data(this.rows, (c) => c.key)
			.join((enter) => {
				const made = enter.append("tr");
				made.append("th").attr("scope", "row");
				for (const kind of ["group", "queue"]) {
					const cell = made.append("td").attr("class", kind);
					const svg = cell
						.append("svg")
						.attr("width", WIDE)
						.attr("height", TALL)
						.attr("aria-hidden", "true");
					svg.append("rect")
						.attr("class", "frame")
						.attr("width", WIDE)
						.attr("height", TALL);
					svg.append("rect")
						.attr("class", `fill ${kind}`)
						.attr("height", TALL);
					for (const mark of kind === "group"
						? ["xoff", "xon"]
						: ["kmax", "kmin"])
						svg.append("line")
							.attr("class", `mark ${mark}`)
							.attr("y1", 0)
							.attr("y2", TALL);
					cell.append("span");
				}
				return made;
			});
		tr.order()
			.select("th")
			.text((c) => `${run.ports[c.port].name} p${c.prio}`)
			.attr("title", (c) => `to ${run.peerNode(run.ports[c.port]).name}`);
		this.scale = { group: WIDE / whole, queue: WIDE / out };
		this.tr = tr;
	}

	update({ frame, graph }) {
		const { scale } = this;
		const line = (row, name, x) =>
			row
				.select(`.mark.${name}`)
				.attr("x1", x)
				.attr("x2", x)
				.attr("display", x > 0 && x <= WIDE ? null : "none");

		this.tr.each(function (c) {
			const row = select(this),
				group = c.group ? c.group[frame] : 0,
				queue = c.queue ? c.queue[frame] : 0;
			row.classed("paused", graph.has(c.key));
			row.select(".group .fill").attr("width", group * scale.group);
			row.select(".group span").text(format.bytes(group));
			line(row, "xoff", (c.xoff(frame) ?? 0) * scale.group);
			line(row, "xon", (c.xon(frame) ?? 0) * scale.group);
			row.select(".queue .fill").attr("width", queue * scale.queue);
			row.select(".queue span").text(
				format.bytes(queue) + (graph.has(c.key) ? " ❚❚" : ""),
			);
			line(row, "kmax", (c.kmax ?? 0) * scale.queue);
			line(row, "kmin", (c.kmin ?? 0) * scale.queue);
		});
	}
}
