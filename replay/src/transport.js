// The controls of the clock, by mouse and by keyboard.

import { select } from "d3-selection";
import { fitting, speeds } from "./clock.js";
import * as format from "./format.js";

const SHOWN = new Set([
	"deadlock",
	"deadlock_cleared",
	"watchdog_storm",
	"watchdog_restore",
	"fault",
	"fault_end",
	"drop_lossless",
	"nic_watchdog",
	"stall",
	"stall_end",
]);

const ICONS = {
	play: "M3,1L14,8L3,15z",
	pause: "M3,1h4v14h-4z M9,1h4v14h-4z",
	back: "M2,2h2.5v12h-2.5z M14,2v12L5.5,8z",
	forward: "M11.5,2h2.5v12h-2.5z M2,2v12L10.5,8z",
};

export class Transport {
	constructor(box, clock) {
		this.clock = clock;
		this.box = select(box);
		this.icon(
			this.button("back", "", "Back to the event before (←)", () =>
				this.step(-1),
			),
			ICONS.back,
		);
		this.play = this.button("play", "", "Play (space)", () => clock.play());
		this.playIcon = this.icon(this.play, ICONS.play);
		this.icon(
			this.button("forward", "", "On to the next event (→)", () => this.step(1)),
			ICONS.forward,
		);
		const middle = this.box.append("div").attr("class", "time");
		this.overview = middle
			.append("div")
			.attr("class", "overview")
			.attr("aria-hidden", "true");
		this.slider = middle
			.append("input")
			.attr("type", "range")
			.attr("id", "time")
			.attr("aria-label", "Time")
			.attr("min", 0)
			.attr("step", "any")
			.on("input", (event) =>
				clock.seek(clock.view[0] + Number(event.target.value)),
			);
		this.now = this.box.append("output").attr("class", "instant").attr("for", "time");
		const speed = this.box.append("label").attr("class", "speed");
		speed.append("span").text("Speed");
		this.speed = speed
			.append("select")
			.attr("id", "speed")
			.on("change", (event) => {
				clock.speed = Number(event.target.value);
			});
		this.speed
			.selectAll("option")
			.data(speeds())
			.join("option")
			.attr("value", (d) => d)
			.text((d) => `${format.time(d, 1)} per second`);
		this.button("closer", "Closer", "Look closer around this instant (])", () =>
			clock.zoom(1 / 3),
		);
		this.button("wider", "Wider", "Look at more of the run ([)", () => clock.zoom(3));
		this.button("whole", "Whole run", "Look at the whole run (0)", () =>
			clock.look(0, clock.end),
		);
		this.listener = (event) => this.key(event);
		document.addEventListener("keydown", this.listener);
	}

	button(name, text, title, act) {
		return this.box
			.append("button")
			.attr("type", "button")
			.attr("id", name)
			.attr("title", title)
			.attr("aria-label", text ? `${text}: ${title}` : title)
			.text(text)
			.on("click", act);
	}

	icon(button, path) {
		return button
			.append("svg")
			.attr("viewBox", "0 0 16 16")
			.attr("width", 16)
			.attr("height", 16)
			.attr("aria-hidden", "true")
			.append("path")
			.attr("d", path)
			.attr("fill", "currentColor");
	}

	// The runs that the clock drives.
	show(runs) {
		const { clock } = this,
			end = clock.end;

		this.runs = runs;
		this.setSpeed(fitting(clock.view[1] - clock.view[0]));
		this.overview.selectAll("*").remove();
		this.window = this.overview.append("div").attr("class", "window");
		const events = runs
			.flatMap((run) => run.events)
			.filter((e) => SHOWN.has(e.kind))
			.slice(0, 200);
		this.overview
			.selectAll("i")
			.data(events)
			.join("i")
			.style("left", (e) => `${(100 * e.at) / end}%`);
		this.needle = this.overview.append("b");
		this.update();
	}

	setSpeed(speed) {
		this.clock.speed = speed;
		this.speed.property("value", speed);
	}

	// To the event before or after, of either run.
	step(way, keyOnly = false) {
		const { clock } = this;
		const times = this.runs.map((run) =>
			run.step(Math.min(clock.now, run.end), way, keyOnly),
		);
		clock.play(false);
		clock.seek(way > 0 ? Math.min(...times) : Math.max(...times));
	}

	key(event) {
		const { clock } = this,
			[from, to] = clock.view,
			width = to - from;
		const tag = event.target.tagName,
			typing =
				tag === "SELECT" ||
				tag === "TEXTAREA" ||
				(tag === "INPUT" &&
					event.target.type !== "range" &&
					event.target.type !== "checkbox");

		if (event.altKey || event.ctrlKey || event.metaKey || typing) return;
		if (
			event.key === " " &&
			(tag === "BUTTON" || tag === "SUMMARY" || event.target.type === "checkbox")
		)
			return; // the element's own
		const scrolls =
			event.target.closest?.("[tabindex]") &&
			!event.target.closest("#transport") &&
			event.target.scrollHeight > event.target.clientHeight;
		if (scrolls && ["PageUp", "PageDown", "Home", "End"].includes(event.key)) return;
		const act = {
			" ": () => clock.play(),
			k: () => clock.play(),
			ArrowRight: () => this.step(1, event.shiftKey),
			ArrowLeft: () => this.step(-1, event.shiftKey),
			PageDown: () => clock.seek(clock.now + width / 20),
			PageUp: () => clock.seek(clock.now - width / 20),
			Home: () => clock.seek(from),
			End: () => clock.seek(to),
			"+": () => this.faster(1),
			"=": () => this.faster(1),
			"-": () => this.faster(-1),
			"]": () => clock.zoom(1 / 3),
			"[": () => clock.zoom(3),
			0: () => clock.look(0, clock.end),
		}[event.key];
		if (!act) return;
		event.preventDefault();
		act();
	}

	faster(way) {
		const all = speeds(),
			i = all.indexOf(this.clock.speed) + way;
		this.setSpeed(all[Math.min(all.length - 1, Math.max(0, i))]);
	}

	update() {
		const { clock } = this,
			[from, to] = clock.view;
		const value = clock.now - from,
			words = format.clock(clock.now, to);

		this.slider
			.attr("max", to - from)
			.property("value", value)
			.attr("aria-valuetext", words);
		this.slider.node().style.setProperty("--done", `${(100 * value) / (to - from)}%`);
		this.now.text(words);
		this.playIcon.attr("d", clock.playing ? ICONS.pause : ICONS.play);
		this.play
			.attr("aria-label", clock.playing ? "Pause (space)" : "Play (space)")
			.attr("title", clock.playing ? "Pause (space)" : "Play (space)");
		this.window
			.style("left", `${(100 * from) / clock.end}%`)
			.style("width", `${Math.max(0.4, (100 * (to - from)) / clock.end)}%`);
		this.needle.style("left", `${(100 * clock.now) / clock.end}%`);
	}
}
