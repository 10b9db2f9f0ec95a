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
		// a frame on its way out waits for no queue; levels are rounded
		const whole = Math.max(
			reason.held,
			reason.causes.reduce((sum, c) => sum + c.bytes, 0),
		);
		graph.set(key, {
			key,
			row,
			since: run.pauses.start[row],
			peer,
			held: reason.held,
			sender: reason.sender,
			causes: reason.causes.map((c) => ({
				...c,
				share: c.bytes / whole,
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

// "A:1 → B:1 → A:1"; where pauses of whole ports join priorities, each with its own.
export function circleWords(run, keys) {
	return [...keys, keys[0]].map((key) => nameAmong(run, key, keys)).join(" → ");
}

function prioritiesOf(keys) {
	return [...new Set(keys.map((key) => key % PRIOS))].sort((a, b) => a - b);
}

// The queue alone, or, where queues of several priorities wait, with its own.
function nameAmong(run, key, keys) {
	return run.queueName(key, prioritiesOf(keys).length === 1 ? keys[0] % PRIOS : -1);
}

// "priority 3", "priorities 3 and 4"
export function prioritiesWords(keys) {
	const all = prioritiesOf(keys);
	return `${all.length === 1 ? "priority" : "priorities"} ${format.list(all, PRIOS)}`;
}

// "of which 93 KB for leaf3:6", of several "93 % for leaf3:6"
function share(run, cause, wait, keys) {
	const name = nameAmong(run, cause.key, keys);
	if (wait.causes.length > 1) return `${format.percent(cause.share)} for ${name}`;
	return cause.share === 1
		? `all of it for ${name}`
		: `of which ${format.bytes(cause.bytes)} for ${name}`;
}

// Why a sender stopped its peer, as a sentence without a full stop.
export function senderWords(run, wait, keys) {
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
			wait.causes.slice(0, 3).map((c) => share(run, c, wait, keys)),
			3,
		)
	);
}

export function waitWords(run, wait, t, graph) {
	const keys = [...graph.keys()];
	return (
		`${nameAmong(run, wait.key, keys)} has been stopped for ${format.age(t - wait.since)}: ` +
		senderWords(run, wait, keys)
	);
}

function rootWords(run, root, keys) {
	switch (root.kind) {
		case "queue": {
			const port = run.portOf(root.key);
			return (
				`at the end of the chain ${nameAmong(run, root.key, keys)} sends to ` +
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
	const root = rootOf(graph, wait.key),
		keys = [...graph.keys()];
	const direct = root.kind === "queue" && wait.causes[0]?.key === root.key;
	return `${senderWords(run, wait, keys)}${
		wait.sender !== "switch"
			? ""
			: direct
				? `, which is not stopped: it is congested`
				: `; ${rootWords(run, root, keys)}`
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
			// a port that is stopped as a whole waits once
			const group = `${wait.peer.node}/${wait.key % PRIOS}`,
				whole = `${Math.floor(wait.key / PRIOS)} ${to}`;
			id = groups.get(whole) ?? groups.get(group) ?? `hosts ${group}`;
			groups.set(group, id).set(whole, id);
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
	const keys = [...graph.keys()];
	for (const node of nodes.values()) node.label = label(run, node, keys);
	return [...nodes.values()];
}

function label(run, node, keys) {
	if (node.kind === "storm" || node.kind === "receiver")
		return `${run.nodes[node.node].name} (${node.kind === "storm" ? "storm" : "slow"})`;
	if (node.kind !== "hosts" || node.keys.length === 1)
		return nameAmong(run, node.keys[0], keys);
	if (new Set(node.keys.map((key) => run.name(key))).size === 1)
		return run.name(node.keys[0]);
	const leaf = run.nodes[run.ports[run.portOf(node.keys[0]).peer].node].name;
	return `${leaf} hosts`;
}
