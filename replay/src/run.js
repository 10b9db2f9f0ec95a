// One run, as the page reads it: topology, what each port held and sent, exact
// pauses, events.  Times are nanoseconds.

import { decode, levels, numbers, quantity } from "./code.js";
import { csv } from "./format.js";
import { Intervals, search } from "./intervals.js";

export const PRIOS = 8;
export const END = ["XON", "expiry", "watchdog", "fault", "stands"];
const STANDS = 4;
const RATE_BYTES = 16384;

class Channel {
	constructor(raw, count) {
		const column = (text) => (typeof text === "string" ? levels(text, count) : null);

		this.port = raw.port;
		this.prio = raw.prio;
		this.key = raw.port * PRIOS + raw.prio;
		this.queue = column(raw.queue);
		this.group = column(raw.group);
		this.limit = column(raw.limit);
		this.sent = column(raw.sent);
		this.marked = column(raw.marked);
		this.xonFloor = raw.xon_floor_bytes ?? 0;
		this.xonGap = raw.xon_gap_bytes ?? 0;
		this.headroom = raw.headroom_bytes ?? 0;
		this.kmin = raw.kmin_bytes ?? null;
		this.kmax = raw.kmax_bytes ?? null;
		this.hostXoff = raw.xoff_bytes ?? null; // of a NIC's receive buffer
		this.hostXon = raw.xon_bytes ?? null;
		this.queuePeak = this.queue ? this.queue.reduce((a, b) => Math.max(a, b), 0) : 0;
		this.groupPeak = this.group ? this.group.reduce((a, b) => Math.max(a, b), 0) : 0;
	}

	// Bytes at which the group is stopped, and at which it is freed.
	xoff(frame) {
		return this.limit ? this.limit[frame] : this.hostXoff;
	}
	xon(frame) {
		return this.limit
			? Math.max(this.xonFloor, this.limit[frame] - this.xonGap)
			: this.hostXon;
	}
}

function readTopology(run, raw) {
	run.nodes = raw.nodes.map(([name, isSwitch, buffer], id) => ({
		id,
		name,
		isSwitch: isSwitch === 1,
		buffer,
		ports: [],
	}));
	run.ports = raw.ports.map(([node, number, peer, rate, delay], id) => {
		run.nodes[node].ports.push(id);
		return {
			id,
			node,
			number,
			peer,
			rate,
			delay,
			name: `${run.nodes[node].name}:${number}`,
		};
	});
	run.portByName = new Map(run.ports.map((port) => [port.name, port.id]));
}

function readFrames(run, raw) {
	let at = 0;

	run.frames = Float64Array.from(numbers(raw.frames.at_ns), (gap) => (at += gap));
	run.channels = raw.channels.map((c) => new Channel(c, run.frames.length));
	raw.channels.forEach((c, i) => {
		if (typeof c.limit === "number")
			run.channels[i].limit = run.channels[c.limit].limit;
	});
	run.channelOf = new Map(run.channels.map((c) => [c.key, c]));
	run.channelsOfPort = run.ports.map(() => []);
	for (const c of run.channels) run.channelsOfPort[c.port].push(c);
}

// Where the reasons of each row begin, in one list of all.
function readReasons(text, words, offsets, first) {
	let row = first,
		reasons = 0,
		left = 0; // left: words of this reason still to come
	let field = 0;

	decode(text, (value) => {
		if (reasons === 0 && left === 0) {
			offsets[row++] = words.length;
			reasons = value;
			field = 0;
		} else if (left > 0) {
			left--;
			reasons -= left === 0 ? 1 : 0;
		} else if (field < 2) {
			field++;
		} else {
			left = 2 * Math.max(0, value);
			field = 0;
			reasons -= left === 0 ? 1 : 0;
		}
		words.push(value);
	});
}

function readPauses(run, raw) {
	const n = raw.pauses.ports.reduce((sum, p) => sum + p.count, 0);
	const start = new Float64Array(n),
		end = new Float64Array(n),
		why = new Float64Array(n);
	const key = new Int32Array(n),
		ended = new Uint8Array(n),
		words = [];
	let first = 0;

	for (const p of raw.pauses.ports) {
		let i = first,
			at = 0;
		const lengths = numbers(p.length_ns),
			ends = numbers(p.end);
		decode(p.gap_ns, (gap) => {
			const length = lengths[i - first];
			start[i] = at + gap;
			ended[i] = ends[i - first];
			end[i] = ended[i] === STANDS ? Infinity : start[i] + length;
			at = start[i] + length;
			key[i++] = p.port * PRIOS + p.prio;
		});
		readReasons(p.why, words, why, first);
		first += p.count;
	}
	const order = Uint32Array.from(start, (_, i) => i).sort(
		(a, b) => start[a] - start[b] || key[a] - key[b],
	);
	const pick = (array) => array.map((_, i) => array[order[i]]);
	run.pauses = {
		n,
		start: pick(start),
		end: pick(end),
		key: pick(key),
		ended: pick(ended),
		why: pick(why),
		words,
		leftOut: raw.pauses.left_out,
		shortest: raw.pauses.shortest_ps / 1000,
	};
	run.pauseEnds = run.pauses.end.slice().sort();
	run.intervals = new Intervals(run.pauses.start, run.pauses.end);
}

function readEvents(run, raw, text) {
	run.deadlocks = raw.deadlocks.map((d) => ({
		from: d.at_ps / 1000,
		to: d.cleared_ps === null ? Infinity : d.cleared_ps / 1000,
		by: d.by,
		cycle: d.cycle.map(([port, prio]) => port * PRIOS + prio),
	}));
	run.events = csv(text).map((e) => ({
		at: Number(e.at_ps) / 1000,
		kind: e.event,
		where: e.where,
		flow: e.flow,
		detail: e.detail,
		prio: e.prio === "" ? -1 : Number(e.prio),
		port: run.portByName.get(e.where) ?? -1,
	}));
	run.eventTimes = Float64Array.from(run.events, (e) => e.at);
}

// Totals that never change: how long each key stood, what its senders waited for.
function readTotals(run) {
	const { n, start, end, key } = run.pauses;

	run.pausedFor = new Map();
	run.rowsOfKey = new Map();
	for (let i = 0; i < n; i++) {
		run.pausedFor.set(
			key[i],
			(run.pausedFor.get(key[i]) ?? 0) + Math.min(end[i], run.end) - start[i],
		);
		if (!run.rowsOfKey.has(key[i])) run.rowsOfKey.set(key[i], []);
		run.rowsOfKey.get(key[i]).push(i);
	}
}

export class Run {
	constructor({ label, summary, resolved, replay, events }) {
		const raw = JSON.parse(replay);

		this.label = label;
		this.summary = JSON.parse(summary).runs[0];
		this.resolved = JSON.parse(resolved);
		this.end = raw.end_ps / 1000;
		this.classes = raw.classes;
		readTopology(this, raw);
		readFrames(this, raw);
		readPauses(this, raw);
		readEvents(this, raw, events);
		readTotals(this);
	}

	name(key) {
		return this.ports[Math.floor(key / PRIOS)].name;
	}
	// With its priority where that is not the one spoken of.
	queueName(key, prio) {
		return key % PRIOS === prio ? this.name(key) : `${this.name(key)}/${key % PRIOS}`;
	}
	portOf(key) {
		return this.ports[Math.floor(key / PRIOS)];
	}
	nodeOf(key) {
		return this.nodes[this.portOf(key).node];
	}
	peerNode(port) {
		return this.nodes[this.ports[port.peer].node];
	}

	// The frame that shows the state at t, and the one in which what was sent
	// around t is counted.
	frameAt(t) {
		return Math.max(0, search(this.frames, t, true) - 1);
	}
	rateFrame(t) {
		return Math.min(this.frames.length - 1, Math.max(1, search(this.frames, t)));
	}
	// Bits per second that a channel sent up to a frame: since the frame before, but
	// over no less than the time of RATE_BYTES, since a packet counts whole at its
	// start.  Never more than the line: what a port sent before it was first looked
	// at (observe/replay_frames.c, SLEEP) lies in one frame.
	rate(channel, frame) {
		if (!channel.sent || frame < 1) return 0;
		const { frames } = this,
			line = this.ports[channel.port].rate,
			least = (RATE_BYTES * 8e9) / line;
		channel.total ??= channel.sent.reduce(
			(total, bytes, i) => ((total[i] = bytes + (total[i - 1] ?? 0)), total),
			new Float64Array(frames.length),
		);
		const before = search(frames, frames[frame] - least, true) - 1,
			from = Math.max(0, Math.min(frame - 1, before)),
			bytes = channel.total[frame] - channel.total[from];
		return Math.min(line, (bytes * 8e9) / Math.max(least, frames[frame] - frames[from]));
	}

	// Rows of the pauses that stand at t.
	pausedAt(t) {
		const rows = [];
		this.intervals.at(t, (i) => rows.push(i));
		return rows;
	}
	deadlockAt(t) {
		return this.deadlocks.find((d) => d.from <= t && t < d.to) ?? null;
	}

	// What the sender of pause `row` held, as last seen at t.
	reason(row, t) {
		const { words, why, start } = this.pauses;
		let at = why[row],
			found = null;

		for (let left = words[at++]; left > 0; left--) {
			const seen = start[row] + words[at],
				held = quantity(words[at + 1]);
			const n = words[at + 2],
				causes = at + 3;
			at = causes + 2 * Math.max(0, n);
			if (found && seen > t) break;
			found = { seen, held, causes, n };
		}
		if (!found) return { sender: "switch", held: 0, causes: [] };
		const key = this.pauses.key[row],
			sender = this.peerNode(this.portOf(key));
		return {
			sender: found.n === -1 ? "receiver" : found.n === -2 ? "storm" : "switch",
			held: found.held,
			// the queue: the place of its port; beyond these, of another priority
			causes: Array.from({ length: Math.max(0, found.n) }, (_, i) => {
				const place = words[found.causes + 2 * i],
					n = sender.ports.length;
				return {
					key:
						sender.ports[place % n] * PRIOS +
						(place < n ? key % PRIOS : Math.floor(place / n) - 1),
					bytes: quantity(words[found.causes + 2 * i + 1]),
				};
			}),
		};
	}

	// The time of the next (way 1) or last (way -1) thing that happened: a pause
	// begins or ends, an event; of `key` events only, when asked.
	step(t, way, keyOnly) {
		const times = keyOnly
			? [this.eventTimes]
			: [this.eventTimes, this.pauses.start, this.pauseEnds];
		let best = way > 0 ? this.end : 0;

		for (const list of times) {
			const i = way > 0 ? search(list, t, true) : search(list, t) - 1;
			if (i >= 0 && i < list.length && isFinite(list[i]))
				best = way > 0 ? Math.min(best, list[i]) : Math.max(best, list[i]);
		}
		return best;
	}

	// The part of the run in which anything moves, if that is a small part.
	focus() {
		const last =
			this.frames.length > 1 ? this.frames[this.frames.length - 2] : this.end;
		return last * 1.5 < this.end ? [0, last * 1.25] : [0, this.end];
	}
}
