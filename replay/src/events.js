// What happened, in order of time, each with its why; the list follows the clock.

import { select } from "d3-selection";
import { search } from "./intervals.js";
import { END, PRIOS } from "./run.js";
import * as format from "./format.js";
import { whyPause } from "./waits.js";

const AROUND = 60;

const KINDS = {
	fault: "fault begins",
	fault_end: "fault ends",
	drop_lossless: "LOSSLESS FRAME LOST",
	drop_lossy: "lossy frame lost",
	drop_watchdog: "frame lost to the watchdog",
	drop_wire: "frame lost on the wire",
	drop_ttl: "frame lost: TTL",
	drop_nic: "NIC overrun",
	watchdog_storm: "watchdog: storm",
	watchdog_restore: "watchdog: restored",
	nic_watchdog: "NIC watchdog",
	flow_failed: "flow failed",
	deadlock: "DEADLOCK",
	deadlock_cleared: "deadlock cleared",
	stall: "nothing is delivered",
	stall_end: "delivery goes on",
};
const GRAVE = new Set(["drop_lossless", "deadlock", "stall", "flow_failed"]);

export class Events {
	constructor(box, run, clock) {
		this.run = run;
		this.clock = clock;
		this.pausesToo = run.events.length < 4;
		const head = select(box).append("div").attr("class", "events-head");
		head.append("h3").text(run.label);
		const label = head.append("label");
		label.append("input")
			.attr("type", "checkbox")
			.property("checked", this.pausesToo)
			.on("change", (event) => {
				this.pausesToo = event.target.checked;
				this.shown = null;
				this.update();
			});
		label.append("span").text(`pauses too (${format.count(run.pauses.n)})`);
		this.frame = select(box)
			.append("div")
			.attr("class", "events")
			.attr("tabindex", 0)
			.attr("role", "region")
			.attr("aria-label", `Events of ${run.label}`);
		const table = this.frame.append("table");
		const tr = table.append("thead").append("tr");
		for (const name of ["Time", "Where", "What", "Why"])
			tr.append("th").attr("scope", "col").text(name);
		this.body = table.append("tbody");
		this.visible = true; // what nobody sees need not follow
		new IntersectionObserver(
			([entry]) => {
				this.visible = entry.isIntersecting;
				this.update();
			},
			{ rootMargin: "100px" },
		).observe(this.frame.node());
	}

	event(i) {
		const e = this.run.events[i];
		return {
			id: `e${i}`,
			at: e.at,
			where: e.where + (e.prio >= 0 ? ` p${e.prio}` : ""),
			grave: GRAVE.has(e.kind),
			what: KINDS[e.kind] ?? e.kind,
			why: [e.flow, e.detail].filter(Boolean).join(": "),
		};
	}
	pause(i) {
		const { start, end, key, ended } = this.run.pauses;
		return {
			id: `p${i}`,
			at: start[i],
			where: `${this.run.name(key[i])} p${key[i] % PRIOS}`,
			what: isFinite(end[i])
				? `stopped for ${format.time(end[i] - start[i])}` +
					(ended[i] ? ` (ended by ${END[ended[i]]})` : "")
				: "stopped to the end",
			why: whyPause(this.run, i),
		};
	}

	// The rows nearest to t: those before it and those after.
	around(t) {
		const rows = [];
		const take = (times, make) => {
			const middle = search(times, t, true);
			for (
				let i = Math.max(0, middle - AROUND);
				i < Math.min(times.length, middle + AROUND);
				i++
			)
				rows.push(make(i));
		};
		take(this.run.eventTimes, (i) => this.event(i));
		if (this.pausesToo) take(this.run.pauses.start, (i) => this.pause(i));
		return rows.sort((a, b) => a.at - b.at);
	}

	update() {
		const t = this.clock.now;
		const place =
			search(this.run.eventTimes, t, true) +
			(this.pausesToo ? search(this.run.pauses.start, t, true) : 0);

		if (
			!this.visible ||
			this.shown === place ||
			(this.clock.playing && this.drawn && performance.now() - this.drawn < 250)
		)
			return;
		this.shown = place;
		this.drawn = performance.now();
		const rows = this.around(t);
		let current = -1;
		rows.forEach((row, i) => {
			if (row.at <= t) current = i;
		});
		const tr = this.body
			.selectAll("tr")
			.data(rows, (d) => d.id)
			.join((enter) => {
				const made = enter.append("tr");
				made.append("td")
					.append("button")
					.attr("type", "button")
					.on("click", (event, d) => this.clock.seek(d.at));
				for (let i = 0; i < 3; i++) made.append("td");
				return made;
			})
			.order();
		tr.attr(
			"class",
			(d, i) =>
				`${i === current ? "now" : d.at > t ? "later" : ""}${d.grave ? " grave" : ""}`,
		).attr("aria-current", (d, i) => (i === current ? "true" : null));
		tr.each(function (d) {
			const cells = this.children;
			cells[0].firstChild.textContent = format.time(d.at, 7);
			[d.where, d.what, d.why].forEach((text, i) => {
				cells[i + 1].textContent = text;
			});
		});
		if (!rows.length)
			this.body
				.html("")
				.append("tr")
				.append("td")
				.attr("colspan", 4)
				.text("Nothing out of the ordinary.");
		const now = tr.nodes()[current];
		const frame = this.frame.node();
		if (now) frame.scrollTop = now.offsetTop - frame.clientHeight / 2;
	}
}
