// The parts of the page that need no browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, levels, numbers, quantity } from "../src/code.js";
import * as format from "../src/format.js";
import { Intervals, search } from "../src/intervals.js";
import { flatten } from "../src/flatten.js";
import { Run } from "../src/run.js";
import { circleWords, prioritiesWords, rootOf, waitGraph, waitPicture, whyPause } from "../src/waits.js";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// As observe/replay_code.c writes it.
function encode(values) {
	let text = "";
	for (const value of values) {
		let rest = BigInt(Math.abs(value)) * 2n + (value < 0 ? 1n : 0n);
		do {
			const digit = Number(rest & 31n);
			rest >>= 5n;
			text += DIGITS[digit | (rest ? 32 : 0)];
		} while (rest);
	}
	return text;
}

// Repeatable numbers in [0, 1).
function draws(seed) {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return state / 2 ** 32;
	};
}

test("integers come back as they were", () => {
	const values = [
		0,
		1,
		-1,
		15,
		16,
		-16,
		31,
		32,
		1023,
		1024,
		-123456789,
		2 ** 40,
		-(2 ** 52),
		9e15,
	];
	assert.deepEqual(numbers(encode(values)), values);
	assert.equal(
		decode("", () => assert.fail()),
		0,
	);
});

test("a level is within 0.8 % of what it stands for, and exact below 128", () => {
	const level = (value) => {
		// as replay_code_level
		const top = Math.floor(Math.log2(value)),
			shift = top - 6;
		return value < 128 ? value : shift * 64 + Math.floor(value / 2 ** shift);
	};
	for (const value of [
		0,
		1,
		127,
		128,
		129,
		255,
		256,
		1000,
		4095,
		4096,
		123456,
		2 ** 31,
		7e12,
	]) {
		const error = Math.abs(quantity(level(value)) - value);
		assert.ok(error <= value / 128, `${value}: ${quantity(level(value))}`);
		assert.ok(value >= 128 || error === 0);
	}
	assert.deepEqual([...levels(encode([5, 0, -5, 127]), 4)], [5, 5, 0, 127]);
});

test("search finds the borders", () => {
	const list = [1, 2, 2, 5];
	assert.deepEqual(
		[0, 1, 2, 3, 5, 6].map((v) => search(list, v)),
		[0, 0, 1, 3, 3, 4],
	);
	assert.deepEqual(
		[0, 1, 2, 3, 5, 6].map((v) => search(list, v, true)),
		[0, 1, 3, 3, 4, 4],
	);
});

// n intervals of many transmitters, as pauses are: short, some long, one for ever.
function manyIntervals(n, seed) {
	const draw = draws(seed),
		starts = Float64Array.from({ length: n }, () => draw() * 1e9).sort();
	const ends = starts.map((start, i) =>
		i === 7 ? Infinity : start + (draw() ** 4 * 2e9) / Math.sqrt(n) / 50,
	);
	return { starts, ends, tree: new Intervals(starts, ends) };
}

test("an instant's intervals are all of them and no others", () => {
	const { starts, ends, tree } = manyIntervals(3000, 1),
		draw = draws(2);
	for (let i = 0; i < 300; i++) {
		const t = i % 3 ? draw() * 1e9 : starts[Math.floor(draw() * 3000)];
		const found = [];
		tree.at(t, (k) => found.push(k));
		const wanted = [...starts.keys()].filter((k) => starts[k] <= t && t < ends[k]);
		assert.deepEqual(found, wanted);
	}
	new Intervals(new Float64Array(0), new Float64Array(0)).at(5, () => assert.fail());
});

test("a seek among 100,000 events touches O(log n) of them", () => {
	for (const n of [1000, 10000, 100000]) {
		const { tree } = manyIntervals(n, 3),
			draw = draws(4);
		let most = 0;
		for (let i = 0; i < 2000; i++) {
			let answers = 0;
			tree.at(draw() * 1e9, () => answers++);
			assert.ok(
				tree.touched <= 2 * (answers + 2) * Math.ceil(Math.log2(n)),
				`${tree.touched} touched of ${n} for ${answers} answers`,
			);
			most = Math.max(most, tree.touched);
		}
		assert.ok(most < n / 10);
	}
});

test("quantities as people write them", () => {
	assert.equal(format.time(0), "0 ns");
	assert.equal(format.time(438385.6), "438.4 µs");
	assert.equal(format.time(50e6), "50.00 ms");
	assert.equal(format.age(0.6), "0 ns");
	assert.equal(format.ps(291826320), "291.8 µs");
	assert.equal(format.ps(null), "–");
	assert.equal(format.bytes(293000), "293 KB");
	assert.equal(format.rate(39.2e9), "39.2 Gbps");
	assert.equal(format.clock(438385.6, 550000), "438.386 µs");
	assert.deepEqual(format.ticks([0, 2.5e6, 5e6]), ["0.0 ms", "2.5 ms", "5.0 ms"]);
	assert.equal(format.list(["a", "b", "c"]), "a, b and c");
	assert.equal(format.list(["a", "b", "c", "d"], 2), "a, b and 2 more");
});

test("CSV with quotes, commas and line ends in its fields", () => {
	assert.deepEqual(format.csv('a,b\n"x, ""y""\nz",\n1,2\n'), [
		{ a: 'x, "y"\nz', b: "" },
		{ a: "1", b: "2" },
	]);
});

test("parameters by path", () => {
	const map = flatten({ a: { b: 1, c: [1, 2] }, d: {}, e: [{ f: "x" }] });
	assert.deepEqual(
		[...map],
		[
			["a.b", "1"],
			["a.c", "1, 2"],
			["d", "–"],
			["e.0.f", "x"],
		],
	);
});

// Two switches A:1 - B:1, a host on each; A:1 is stopped from 10 to 30 us because
// B holds bytes for hB, and hA from 20 us on because A holds bytes for B.
function smallRun(first = [1, -500, 120, 1, 0, 120], more = []) {
	const port = (node, number, peer) => [node, number, peer, 100e9, 1000];
	return new Run({
		label: "small",
		resolved: "{}",
		summary: '{"runs": [{}]}',
		events: "at_ps,event,where,prio,flow,detail\n15000000,fault,A:1,,,link down\n",
		replay: JSON.stringify({
			end_ps: 100e6,
			classes: [],
			deadlocks: [],
			nodes: [
				["A", 1, 1e6],
				["B", 1, 1e6],
				["hA", 0, 0],
				["hB", 0, 0],
			],
			ports: [
				port(0, 0, 4),
				port(0, 1, 3),
				port(1, 0, 5),
				port(1, 1, 1),
				port(2, 0, 0),
				port(3, 0, 2),
			],
			frames: { count: 3, at_ns: encode([0, 50000, 50000]) },
			channels: [
				{
					port: 1,
					prio: 3,
					queue: encode([0, 100, -100]),
					sent: encode([0, 127, 0]),
				},
			],
			pauses: {
				left_out: 0,
				shortest_ps: 0,
				ports: [
					{
						port: 1,
						prio: 3,
						count: 1,
						gap_ns: encode([10000]),
						length_ns: encode([20000]),
						end: encode([0]),
						why: encode(first),
					},
					{
						port: 4,
						prio: 3,
						count: 1,
						gap_ns: encode([20000]),
						length_ns: encode([0]),
						end: encode([4]),
						why: encode([
							2, -500, 90, 1, 1, 90, 5000, 100, 2, 1, 95,
							0, 5,
						]),
					},
					...more,
				],
			},
		}),
	});
}

test("a run: who is stopped, since when, and for whom", () => {
	const run = smallRun();
	assert.deepEqual(
		[5e3, 10e3, 25e3, 30e3, 99e3].map((t) => run.pausedAt(t).length),
		[0, 1, 2, 1, 1],
	);
	assert.equal(run.frameAt(49999), 0);
	assert.equal(run.frameAt(50000), 1);
	assert.equal(run.rate(run.channels[0], run.rateFrame(20000)), (127 * 8e9) / 50000);
	const graph = waitGraph(run, 22e3),
		hA = 4 * 8 + 3,
		a1 = 1 * 8 + 3,
		b0 = 2 * 8 + 3;
	assert.deepEqual(
		[...graph.keys()].sort((x, y) => x - y),
		[a1, hA],
	);
	assert.deepEqual(
		graph.get(hA).causes.map((c) => c.key),
		[a1],
	);
	assert.deepEqual(rootOf(graph, hA), { kind: "queue", key: b0 });
	assert.equal(
		whyPause(run, 0),
		"B:1 held 120 B, all of it for B:0, which is not stopped: it is congested",
	);
	// from 25 us on its second reason counts, without the 5 % that hB has of it
	assert.deepEqual(
		waitGraph(run, 26e3)
			.get(hA)
			.causes.map((c) => c.bytes),
		[95, 5],
	);
	assert.equal(waitGraph(run, 26e3).get(hA).held, 100);
});

test("all is said of all only, and what is nearly all in bytes", () => {
	const starts = (why) => whyPause(smallRun(why), 0).split(", which")[0];
	assert.equal(starts([1, -500, 120, 1, 0, 120]), "B:1 held 120 B, all of it for B:0");
	assert.equal(starts([1, -500, 120, 1, 0, 119]), "B:1 held 120 B, of which 119 B for B:0");
	assert.equal(format.percent(1), "100 %");
	assert.equal(format.percent(0.9999), "over 99 %");
	assert.equal(format.percent(0.99), "99 %");
});

// B has two ports: place 0 + (4 + 1) * 2 is its port 0 with priority 4.
test("a pause of a whole port waits for queues of another priority", () => {
	const run = smallRun([1, -500, 120, 1, 10, 120], [
		{
			port: 4,
			prio: 4,
			count: 1,
			gap_ns: encode([20000]),
			length_ns: encode([0]),
			end: encode([4]),
			why: encode([1, -500, 90, 1, 9, 90]), // A:1, priority 3
		},
	]);
	const graph = waitGraph(run, 22e3),
		a1 = 1 * 8 + 3,
		b0 = 2 * 8 + 4;
	assert.deepEqual(
		graph.get(a1).causes.map((c) => c.key),
		[b0],
	);
	assert.deepEqual(
		graph.get(4 * 8 + 4).causes.map((c) => c.key),
		[a1],
	);
	assert.deepEqual(rootOf(graph, 4 * 8 + 4), { kind: "queue", key: b0 });
	assert.match(whyPause(run, 0), /^B:1 held 120 B, all of it for B:0\/4, /);
	// both priorities of hA wait for A:1: one pill
	assert.deepEqual(
		waitPicture(run, graph)
			.map((node) => node.label)
			.sort(),
		["A:1/3", "B:0/4", "hA:0"],
	);
	assert.equal(circleWords(run, [a1, b0]), "A:1/3 → B:0/4 → A:1/3");
	assert.equal(circleWords(run, [a1, 2 * 8 + 3]), "A:1 → B:0 → A:1");
	assert.equal(prioritiesWords([a1, b0]), "priorities 3 and 4");
	assert.equal(prioritiesWords([a1]), "priority 3");
});

test("a run of 100,000 pauses on 20 ports: seeking and stepping stay cheap", () => {
	const ports = Array.from({ length: 20 }, (_, i) => [i >> 1, i % 2, i ^ 1, 100e9, 1000]);
	const each = 5000,
		draw = draws(5);
	const run = new Run({
		label: "many",
		resolved: "{}",
		summary: '{"runs": [{}]}',
		events: "at_ps,event,where,prio,flow,detail\n",
		replay: JSON.stringify({
			end_ps: 1e12,
			classes: [],
			deadlocks: [],
			ports,
			nodes: Array.from({ length: 10 }, (_, i) => [`s${i}`, 1, 1e6]),
			frames: { count: 2, at_ns: encode([0, 1e9]) },
			channels: [],
			pauses: {
				left_out: 0,
				shortest_ps: 0,
				ports: ports.map((_, port) => ({
					port,
					prio: 3,
					count: each,
					gap_ns: encode(
						Array.from({ length: each }, () =>
							Math.floor(draw() * 1e5),
						),
					),
					length_ns: encode(
						Array.from({ length: each }, () =>
							Math.floor(draw() * 1e5),
						),
					),
					end: encode(new Array(each).fill(0)),
					why: encode(
						new Array(each)
							.fill([1, -500, 100, 1, 0, 100])
							.flat(),
					),
				})),
			},
		}),
	});
	assert.equal(run.pauses.n, 100000);
	for (let i = 0; i < 1000; i++) {
		const t = draw() * 4e8,
			rows = run.pausedAt(t);
		assert.ok(rows.length <= 20);
		assert.ok(
			run.intervals.touched <= 2 * (rows.length + 2) * 17,
			`${run.intervals.touched} touched`,
		);
		assert.ok(waitGraph(run, t).size === rows.length);
		assert.ok(run.step(t, 1, false) > t && run.step(t, -1, false) < t);
	}
});

test("steps go from event to event", () => {
	const run = smallRun(),
		way = [];
	for (let t = 0; t < run.end;) way.push((t = run.step(t, 1, false)));
	assert.deepEqual(way, [10e3, 15e3, 20e3, 30e3, 100e3]);
	assert.equal(run.step(100e3, -1, true), 15e3);
	assert.equal(run.step(15e3, -1, true), 0);
});
