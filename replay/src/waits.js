// Who waits on whom at an instant, as a graph and in words.
//
// A paused queue waits for the group at the other end of its link, and that group
// for the queues that its bytes are in.  Those that are paused wait in their
// turn; one that is not is where the trouble begins: it sends as fast as it can.

import { PRIOS } from "./run.js";
import * as format from "./format.js";

const MINOR = 0.05; // of what a group holds: less is not worth an arrow

// {key: {key, row, since, sender, held, causes: [{key, bytes, share}], host}}
export function waitGraph(run, t) {
	const graph = new Map();

	for (const row of run.pausedAt(t)) {
		const key = run.pauses.key[row];
		const port = run.portOf(key),
			peer = run.ports[port.peer];
		const reason = run.reason(row, t);
		const total = reason.causes.reduce((sum, c) => sum + c.bytes, 0);
		graph.set(key, {
			key,
			row,
			since: run.pauses.start[row],
			peer,
			held: reason.held,
			sender: reason.sender,
			causes: reason.causes.map((c) => ({
				key: c.port * PRIOS + (key % PRIOS),
				bytes: c.bytes,
				share: c.bytes / total,
			})),
		});
	}
	for (const wait of graph.values())
		wait.causes = wait.causes.filter((c) => c.share >= MINOR || graph.has(c.key));
	return graph;
}

// What is at the end of the way from a paused queue along its largest causes: a
// queue that is not paused, a host, or the circle that the way runs into.
export function rootOf(graph, key) {
	const seen = [];

	for (let at = key; ;) {
		const wait = graph.get(at);
		if (!wait) return { kind: "queue", key: at };
		if (seen.includes(at))
			return { kind: "circle", keys: seen.slice(seen.indexOf(at)) };
		if (wait.sender !== "switch") return { kind: wait.sender, port: wait.peer };
		if (!wait.causes.length) return { kind: "group", port: wait.peer };
		seen.push(at);
		at = wait.causes[0].key;
	}
}

export function circleWords(run, keys) {
	return [...keys, keys[0]].map((key) => run.name(key)).join(" → ");
}

// "93 % of it for leaf3:6"
function share(run, cause, causes) {
	const name = run.name(cause.key);
	return causes.length === 1 && cause.share > 0.99
		? `all of it for ${name}`
		: `${format.percent(cause.share)} for ${name}`;
}

// Why a sender stopped its peer, as a sentence without a full stop.
export function senderWords(run, wait) {
	const who = wait.peer.name;

	if (wait.sender === "storm") return `the NIC of ${run.nodes[wait.peer.node].name} storms`;
	if (wait.sender === "receiver")
		return (
			`${run.nodes[wait.peer.node].name} takes its frames in more slowly than they come ` +
			`(${format.bytes(wait.held)} in its receive buffer)`
		);
	if (!wait.causes.length) return `${who} held ${format.bytes(wait.held)}`;
	return (
		`${who} held ${format.bytes(wait.held)}, ` +
		format.list(
			wait.causes.slice(0, 3).map((c) => share(run, c, wait.causes)),
			3,
		)
	);
}

export function waitWords(run, wait, t) {
	return `${run.name(wait.key)} has been stopped for ${format.age(t - wait.since)}: ${senderWords(run, wait)}`;
}

function rootWords(run, root) {
	switch (root.kind) {
		case "queue": {
			const port = run.portOf(root.key);
			return (
				`at the end of the chain ${run.name(root.key)} sends to ` +
				`${run.nodes[run.ports[port.peer].node].name} and is not stopped: it is congested`
			);
		}
		case "circle":
			return `the chain closes: ${circleWords(run, root.keys)}`;
		case "storm":
			return `at the end of the chain the NIC of ${run.nodes[root.port.node].name} storms`;
		case "receiver":
			return `at the end of the chain ${run.nodes[root.port.node].name} receives slowly`;
		default:
			return `the chain ends at ${root.port.name}`;
	}
}

// Why pause `row` began.
export function whyPause(run, row) {
	const t = run.pauses.start[row],
		graph = waitGraph(run, t);
	const wait = graph.get(run.pauses.key[row]);

	if (!wait) return "";
	const root = rootOf(graph, wait.key);
	const direct = root.kind === "queue" && wait.causes[0]?.key === root.key;
	return `${senderWords(run, wait)}${
		wait.sender !== "switch"
			? ""
			: direct
				? `, which is not stopped: it is congested`
				: `; ${rootWords(run, root)}`
	}`;
}

// Hosts that wait for the same queues of the same switch become one, so that a
// picture of them has room.  Returns [{id, label, keys, to: [id], kind, since}].
export function waitPicture(run, graph) {
	const nodes = new Map(),
		groups = new Map();

	for (const wait of graph.values()) {
		const hostSide = !run.nodeOf(wait.key).isSwitch;
		const to =
			wait.sender === "switch"
				? wait.causes.map((c) => c.key)
				: [`host ${wait.peer.node}`];
		let id = wait.key;
		if (hostSide) {
			const group = `${wait.peer.node}/${wait.key % PRIOS}`;
			if (!groups.has(group)) groups.set(group, `hosts ${group}`);
			id = groups.get(group);
		}
		const node = nodes.get(id) ?? {
			id,
			keys: [],
			to: [],
			kind: hostSide ? "hosts" : "queue",
			since: Infinity,
		};
		node.keys.push(wait.key);
		node.since = Math.min(node.since, wait.since);
		for (const target of to) if (!node.to.includes(target)) node.to.push(target);
		if (wait.sender !== "switch")
			nodes.set(to[0], {
				id: to[0],
				keys: [],
				to: [],
				kind: wait.sender,
				node: wait.peer.node,
			});
		nodes.set(id, node);
	}
	for (const node of [...nodes.values()])
		for (const target of node.to)
			if (!nodes.has(target))
				nodes.set(target, {
					id: target,
					keys: [target],
					to: [],
					kind: "root",
				});
	for (const node of nodes.values()) node.label = label(run, node);
	return [...nodes.values()];
}

function label(run, node) {
	if (node.kind === "storm" || node.kind === "receiver")
		return `${run.nodes[node.node].name} (${node.kind === "storm" ? "storm" : "slow"})`;
	if (node.kind !== "hosts") return run.name(node.keys[0]);
	if (node.keys.length === 1) return run.name(node.keys[0]);
	const leaf = run.nodes[run.ports[run.portOf(node.keys[0]).peer].node].name;
	return `${leaf} hosts`;
}
