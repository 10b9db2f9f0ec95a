// When each transmitter stood still, one row a port and priority.  A column of
// pixels is as dark as the share of its time that was paused.

import { select } from "d3-selection";
import { PRIOS } from "./run.js";
import * as format from "./format.js";
import { whyPause } from "./waits.js";

const ROW = 20,
	FEW = 7,
	LABEL = 118;
const NAMES = {
	D: "deadlock",
	W: "watchdog",
	F: "fault",
	L: "lossless loss",
	N: "NIC watchdog",
	S: "stall",
};
const MARKS = {
	deadlock: "D",
	deadlock_cleared: "d",
	watchdog_storm: "W",
	watchdog_restore: "w",
	fault: "F",
	fault_end: "f",
	drop_lossless: "L",
	nic_watchdog: "N",
	stall: "S",
};

export class Gantt {
	constructor(box, run, clock) {
		this.run = run;
		this.clock = clock;
		this.all = false;
		this.keys = [...run.pausedFor.keys()].sort(
			(a, b) =>
				run.nodeOf(b).isSwitch - run.nodeOf(a).isSwitch ||
				run.pausedFor.get(b) - run.pausedFor.get(a) ||
				a - b,
		);
		const head = select(box).append("div").attr("class", "gantt-head");
		head.append("h3").text("Pauses");
		this.note = head.append("span").attr("class", "note");
		this.more = head
			.append("button")
			.attr("type", "button")
			.on("click", () => {
				this.all = !this.all;
				this.draw();
			});
		this.frame = select(box).append("div").attr("class", "gantt").node();
		this.canvas = select(this.frame).append("canvas").attr("role", "img").node();
		this.needle = select(this.frame).append("div").attr("class", "needle").node();
		this.tip = select(this.frame)
			.append("div")
			.attr("class", "tip")
			.attr("hidden", "")
			.node();
		this.listen();
	}

	get rows() {
		return this.all ? this.keys : this.keys.slice(0, FEW);
	}
	timeAt(x) {
		const [from, to] = this.clock.view;
		return from + (to - from) * Math.min(1, Math.max(0, (x - LABEL) / this.width));
	}
	place(t) {
		const [from, to] = this.clock.view;
		return LABEL + (this.width * (t - from)) / (to - from);
	}

	listen() {
		const local = (event) => {
			const box = this.frame.getBoundingClientRect();
			return [
				event.clientX - box.left,
				event.clientY - box.top + this.frame.scrollTop,
			];
		};
		this.frame.addEventListener("pointerdown", (event) => {
			this.from = local(event)[0];
		});
		this.frame.addEventListener("pointermove", (event) => this.hover(...local(event)));
		this.frame.addEventListener("pointerleave", () =>
			this.tip.setAttribute("hidden", ""),
		);
		this.frame.addEventListener("pointerup", (event) => {
			const [x] = local(event);
			if (this.from === undefined) return;
			if (Math.abs(x - this.from) < 5) this.clock.seek(this.timeAt(x));
			else
				this.clock.look(
					Math.min(this.timeAt(x), this.timeAt(this.from)),
					Math.max(this.timeAt(x), this.timeAt(this.from)),
				);
			this.from = undefined;
		});
	}

	hover(x, y) {
		const key = this.rows[Math.floor(y / ROW)],
			t = this.timeAt(x);
		const row = key === undefined || x < LABEL ? -1 : this.rowAt(key, t);

		if (row < 0) {
			this.tip.setAttribute("hidden", "");
			return;
		}
		const { start, end, ended } = this.run.pauses;
		this.tip.textContent =
			`${this.run.name(key)} p${key % PRIOS}: from ${format.time(start[row], 7)} ` +
			(isFinite(end[row])
				? `for ${format.time(end[row] - start[row])}`
				: "to the end of the run") +
			`. ${whyPause(this.run, row)}.${ended[row] === 2 ? " Ended by the watchdog." : ""}`;
		this.tip.removeAttribute("hidden");
		this.tip.style.left = `${Math.min(x + 12, this.frame.clientWidth - 330)}px`;
		this.tip.style.top = `${y + 14}px`;
	}

	rowAt(key, t) {
		const found = this.run.pausedAt(t).find((row) => this.run.pauses.key[row] === key);
		return found ?? -1;
	}

	// Share of each pixel column of the view that key was paused.
	cover(key, columns) {
		const { start, end } = this.run.pauses,
			[from, to] = this.clock.view;
		const out = new Float32Array(columns),
			scale = columns / (to - from);

		for (const row of this.run.rowsOfKey.get(key)) {
			if (end[row] <= from || start[row] >= to) continue;
			const a = Math.max(0, (start[row] - from) * scale);
			const b = Math.min(columns, (end[row] - from) * scale);
			for (let x = Math.floor(a); x < b; x++)
				out[x] += Math.min(b, x + 1) - Math.max(a, x);
		}
		return out;
	}

	draw() {
		const { run, rows, canvas } = this;
		this.width = Math.max(40, this.frame.clientWidth - LABEL);
		const scale = window.devicePixelRatio || 1,
			width = LABEL + this.width,
			height = Math.max(1, rows.length) * ROW;
		const context = canvas.getContext("2d"),
			style = getComputedStyle(this.frame);

		canvas.width = width * scale;
		canvas.height = height * scale;
		canvas.style.width = `${width}px`;
		canvas.style.height = `${height}px`;
		canvas.setAttribute("aria-label", this.words());
		context.setTransform(scale, 0, 0, scale, 0, 0);
		context.font = style.font;
		context.textBaseline = "middle";
		rows.forEach((key, i) => this.drawRow(context, style, key, i * ROW));
		this.drawMarks(context, style, height);
		this.more
			.text(this.all ? "Show few" : `Show all ${this.keys.length}`)
			.attr("hidden", this.keys.length > FEW ? null : "");
		this.note.text(
			!this.keys.length
				? "no pause in this run"
				: run.pauses.leftOut
					? `${format.count(run.pauses.leftOut)} pauses of ` +
						`${format.time(run.pauses.shortest)} or less are not drawn`
					: this.letters(),
		);
		this.update();
	}

	drawRow(context, style, key, y) {
		const prio = key % PRIOS,
			left = LABEL,
			cover = this.cover(key, Math.floor(this.width));
		const stuck = this.run.deadlocks.filter((d) => d.cycle.includes(key));

		context.fillStyle = style.color;
		context.fillText(`${this.run.name(key)} p${prio}`, 2, y + ROW / 2, LABEL - 6);
		context.fillStyle = style.getPropertyValue("--track");
		context.fillRect(left, y + 3, this.width, ROW - 6);
		context.fillStyle = style.getPropertyValue(`--p${prio}`);
		for (let x = 0; x < cover.length; x++) {
			if (cover[x] <= 0) continue;
			context.globalAlpha = 0.3 + 0.7 * Math.min(1, cover[x]);
			context.fillRect(left + x, y + 3, 1, ROW - 6);
		}
		context.globalAlpha = 1;
		context.fillStyle = style.getPropertyValue("--deadlock");
		for (const d of stuck) {
			const a = Math.max(left, this.place(d.from)),
				b = Math.min(
					left + this.width,
					this.place(Math.min(d.to, this.run.end)),
				);
			if (b <= a) continue;
			context.fillRect(a, y + 3, b - a, 3);
			context.fillRect(a, y + ROW - 6, b - a, 3);
		}
	}

	drawMarks(context, style, height) {
		context.strokeStyle = context.fillStyle = style.getPropertyValue("--deadlock");
		context.setLineDash([4, 3]);
		let last = -100;
		for (const e of this.run.events) {
			const x = this.place(e.at);
			if (!MARKS[e.kind] || x < LABEL || x > LABEL + this.width || x - last < 12)
				continue;
			last = x;
			context.beginPath();
			context.moveTo(x, 0);
			context.lineTo(x, height);
			context.stroke();
			context.fillText(
				MARKS[e.kind],
				Math.min(x + 2, LABEL + this.width - 12),
				9,
			);
		}
	}

	// What the letters at the marks mean.
	letters() {
		const here = new Set(this.run.events.map((e) => MARKS[e.kind]?.toUpperCase()));
		return Object.entries(NAMES)
			.filter(([letter]) => here.has(letter))
			.map(([letter, name]) => `${letter} ${name}`)
			.join(", ");
	}

	words() {
		const top = this.keys
			.slice(0, 3)
			.map(
				(key) =>
					`${this.run.name(key)} for ${format.time(this.run.pausedFor.get(key), 3)}`,
			);
		return this.keys.length
			? `${format.plural(this.keys.length, "transmitter")} paused; ` +
					`among them ${format.list(top)}`
			: "No pause";
	}

	update() {
		const x = this.place(this.clock.now);
		this.needle.style.transform = `translateX(${x}px)`;
		this.needle.style.height = `${this.canvas.style.height}`;
		this.needle.hidden = x < LABEL - 1 || x > LABEL + this.width + 1;
	}
}
