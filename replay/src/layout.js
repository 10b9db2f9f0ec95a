// Where the nodes of a topology stand, in pixels of a given frame.
//
//	tiers	hosts below leaves below spines: each switch one tier above the nearest
//		one below it, no link inside a tier (or few)
//	line	switches in a row, hosts below
//	ring	switches on a circle, hosts outside (any other graph, too)

export const TEXT = 14; // px: no text is smaller

function tiers(run) {
	const tier = run.nodes.map((node) => (node.isSwitch ? Infinity : 0));
	let edge = run.nodes.filter((node) => !node.isSwitch).map((node) => node.id);

	while (edge.length) {
		const next = [];
		for (const id of edge)
			for (const port of run.nodes[id].ports) {
				const peer = run.ports[run.ports[port].peer].node;
				if (tier[peer] === Infinity) {
					tier[peer] = tier[id] + 1;
					next.push(peer);
				}
			}
		edge = next;
	}
	return tier.map((t) => (t === Infinity ? 1 : t));
}

const neighbours = (run, node) => [
	...new Set(node.ports.map((port) => run.ports[run.ports[port].peer].node)),
];

// The switches in the order of a walk along a line or round a circle; null when the
// graph of switches is neither.
function walk(run, switches) {
	const near = (node) =>
		neighbours(run, node)
			.map((id) => run.nodes[id])
			.filter((n) => n.isSwitch);
	const ends = switches.filter((node) => near(node).length < 2);

	if (
		switches.some((node) => near(node).length > 2) ||
		(ends.length !== 2 && ends.length !== 0)
	)
		return switches.length === 1 ? { order: switches, closed: false } : null;
	const order = [ends[0] ?? switches[0]];
	for (;;) {
		const next = near(order[order.length - 1]).find((node) => !order.includes(node));
		if (!next) break;
		order.push(next);
	}
	return order.length === switches.length ? { order, closed: ends.length === 0 } : null;
}

function kind(run, tier) {
	const switches = run.nodes.filter((node) => node.isSwitch);
	let inside = 0,
		all = 0;

	for (const port of run.ports) {
		const peer = run.ports[port.peer];
		if (!run.nodes[port.node].isSwitch || !run.nodes[peer.node].isSwitch) continue;
		all++;
		inside += tier[port.node] === tier[peer.node];
	}
	if (!inside || inside < all / 5) return { name: "tiers" };
	const way = walk(run, switches);
	if (way && !way.closed) return { name: "line", order: way.order };
	return { name: "ring", order: way ? way.order : switches };
}

const hostsOf = (run, node) =>
	neighbours(run, node)
		.map((id) => run.nodes[id])
		.filter((peer) => !peer.isSwitch && neighbours(run, peer)[0] === node.id);

// Leaves with their hosts side by side over the width; the tiers above spread evenly,
// in the order of what is below them.
function placeTiers(run, tier, rows, place, width, height) {
	const top = Math.max(...tier),
		margin = 12;
	const foot = TEXT + 26,
		step = top > 0 ? (height - foot - 62) / Math.max(1, top) : 0;
	const y = (t) => (t === 0 ? height - foot : height - foot - step * t + (t === top ? 0 : 0));
	const hosts = rows.map((node) => hostsOf(run, node));
	const share = hosts.map((list) => Math.max(1.6, list.length) + 0.6);
	const total = share.reduce((a, b) => a + b, 0);
	let x = margin;

	rows.forEach((node, i) => {
		const span = (share[i] / total) * (width - 2 * margin);
		place[node.id] = { x: x + span / 2, y: y(tier[node.id]), span };
		hosts[i].forEach((host, k) => {
			const gap = span / (hosts[i].length + 0.6);
			place[host.id] = { x: x + gap * (k + 0.8), y: y(0), gap, index: k };
		});
		x += span;
	});
	for (let t = 1; t <= top; t++) {
		const middle = (node) => {
			const below = neighbours(run, node).filter(
				(id) => tier[id] < t && place[id],
			);
			return (
				below.reduce((sum, id) => sum + place[id].x, 0) /
				Math.max(1, below.length)
			);
		};
		const row = run.nodes
			.filter((node) => node.isSwitch && tier[node.id] === t && !place[node.id])
			.map((node) => ({ node, at: middle(node) }))
			.sort((a, b) => a.at - b.at || a.node.id - b.node.id);
		const even = row.length < 2 || row[row.length - 1].at - row[0].at < 1;
		row.forEach(({ node, at }, i) => {
			const span = (width - 2 * margin) / row.length;
			place[node.id] = {
				x: even || row.length > 2 ? margin + span * (i + 0.5) : at,
				y: y(t),
				span,
			};
		});
	}
	run.nodes
		.filter((node) => !place[node.id])
		.forEach((node, i, rest) => {
			place[node.id] = {
				x: margin + ((width - 2 * margin) * (i + 0.5)) / rest.length,
				y: y(0),
				gap: width / rest.length,
				index: i,
			};
		});
}

// Four switches stand at the corners, as people draw them; more on an ellipse.
function placeRing(run, order, place, width, height) {
	const n = order.length,
		start = n === 4 ? (-Math.PI * 3) / 4 : -Math.PI / 2;
	const stretch = n === 4 ? Math.SQRT2 : 1;

	order.forEach((node, i) => {
		const angle = start + (2 * Math.PI * i) / n;
		const cos = Math.cos(angle),
			sin = Math.sin(angle);
		place[node.id] = {
			x: width / 2 + width * (n === 4 ? 0.21 : 0.26) * stretch * cos,
			y: height / 2 + height * 0.29 * stretch * sin,
			span: width * 0.3,
		};
		const hosts = hostsOf(run, node);
		hosts.forEach((host, k) => {
			const turn =
				(k - (hosts.length - 1) / 2) *
				Math.min(0.5, 1.6 / hosts.length / Math.max(1, n / 4));
			const side =
				n === 4
					? { x: Math.sign(cos) * Math.cos(turn), y: Math.sin(turn) }
					: { x: Math.cos(angle + turn), y: Math.sin(angle + turn) };
			place[host.id] = {
				x: place[node.id].x + width * (n === 4 ? 0.225 : 0.2) * side.x,
				y: place[node.id].y + height * (n === 4 ? 0.3 : 0.2) * side.y,
				gap: 60,
				index: k,
			};
		});
	});
	run.nodes
		.filter((node) => !place[node.id])
		.forEach((node, i, rest) => {
			place[node.id] = {
				x: (width * (i + 0.5)) / rest.length,
				y: height - 20,
				gap: 60,
				index: i,
			};
		});
}

// How a switch is drawn: width, height, room for a bar a port.
function sizes(run, place, shape, tier) {
	for (const node of run.nodes) {
		const at = place[node.id];
		if (!node.isSwitch) {
			const roomy = at.gap >= 30;
			Object.assign(at, {
				w: roomy
					? Math.min(40, at.gap - 6)
					: Math.max(4, Math.min(12, at.gap - 3)),
				h: roomy ? 24 : 10,
				inside: roomy,
			});
			continue;
		}
		const below = node.ports.filter(
			(p) => tier[run.ports[run.ports[p].peer].node] < tier[node.id],
		);
		const wide = Math.max(below.length, node.ports.length - below.length, 1);
		const room = Math.max(40, at.span - 16);
		if (shape === "tiers") {
			at.w = Math.min(room, Math.max(92, wide * 34));
			at.bar = Math.min(9, (at.w - 8) / wide / 2.6);
			at.h = at.bar >= 2.5 ? 74 : 30;
			at.tall = 24;
		} else {
			at.w = Math.min(room, Math.max(120, node.ports.length * 48));
			at.bar = Math.min(14, (at.w - 8) / node.ports.length / 2.6);
			at.h = 104;
			at.tall = 50;
			at.numbers = at.bar >= 7;
		}
	}
}

// Where on its node each port stands: `x`, `y` of the link's end, `slot` of its bars.
function anchors(run, place, shape, tier) {
	const ports = run.ports.map(() => null);

	for (const node of run.nodes) {
		const at = place[node.id];
		const far = (p) => place[run.ports[run.ports[p].peer].node];
		const rows = { up: [], down: [], side: [] };
		for (const p of node.ports) {
			const other = tier[run.ports[run.ports[p].peer].node];
			const row =
				shape === "ring"
					? "side"
					: other > tier[node.id]
						? "up"
						: other < tier[node.id]
							? "down"
							: "side";
			rows[row].push(p);
		}
		for (const row of ["up", "down"]) {
			rows[row].sort((a, b) => far(a).x - far(b).x || a - b);
			rows[row].forEach((p, i) => {
				const x = at.x - at.w / 2 + (at.w * (i + 0.5)) / rows[row].length;
				ports[p] = {
					x,
					y: at.y + (row === "up" ? -at.h / 2 : at.h / 2),
					row,
					slot: x,
				};
			});
		}
		const foot = [...rows.down, ...rows.side].sort((a, b) =>
			shape === "ring" ? a - b : far(a).x - far(b).x || a - b,
		);
		const slot = (p) =>
			at.x - at.w / 2 + (at.w * (foot.indexOf(p) + 0.5)) / foot.length;
		if (rows.side.length) for (const p of rows.down) ports[p].slot = slot(p);
		rows.side.forEach((p) => {
			const dx = far(p).x - at.x,
				dy = far(p).y - at.y;
			const twins = rows.side.filter((q) => far(q) === far(p));
			const spread = (twins.indexOf(p) - (twins.length - 1) / 2) * 14;
			const reach = Math.min(
				at.w / 2 / Math.max(1e-9, Math.abs(dx)),
				at.h / 2 / Math.max(1e-9, Math.abs(dy)),
			);
			const length = Math.hypot(dx, dy) || 1;
			ports[p] = {
				x: at.x + dx * reach - (dy / length) * spread,
				y: at.y + dy * reach + (dx / length) * spread,
				row: "side",
				slot: slot(p),
			};
		});
	}
	return ports;
}

// {shape, nodes: [{x, y, w, h, bar?, inside?}], ports: [{x, y, row, slot}]} by id.
export function layout(run, width, height) {
	const tier = tiers(run),
		place = run.nodes.map(() => null);
	const shape = kind(run, tier);

	if (shape.name === "ring") {
		placeRing(run, shape.order, place, width, height);
	} else {
		const rows =
			shape.order ??
			run.nodes.filter(
				(node) =>
					node.isSwitch &&
					(tier[node.id] === 1 || hostsOf(run, node).length),
			);
		placeTiers(run, tier, rows, place, width, height);
	}
	const drawn = shape.name === "ring" ? "ring" : "tiers";
	sizes(run, place, drawn, tier);
	return { shape: shape.name, nodes: place, ports: anchors(run, place, drawn, tier), tier };
}
