// The one clock of the page: an instant of the simulation, whether it runs and how
// fast, and the part of the run that is looked at.  Everything else follows it.

export class Clock {
	constructor(end) {
		this.end = end;
		this.now = 0;
		this.playing = false;
		this.view = [0, end];
		this.speed = 1; // simulated ns per second of ours
		this.listeners = [];
		this.calm = false; // reduced motion: few, larger steps
		this.waited = 0;
		this.last = 0;
	}

	// listener({moved, view, elapsed}): elapsed is in seconds of ours, 0 for a jump.
	listen(listener) {
		this.listeners.push(listener);
	}
	tell(change) {
		for (const listener of this.listeners)
			listener({ moved: true, view: false, elapsed: 0, ...change });
	}

	seek(t) {
		this.now = Math.min(this.end, Math.max(0, t));
		this.reveal();
		this.tell({});
	}
	// Moves the window so that it shows the present.
	reveal() {
		const [from, to] = this.view,
			width = to - from;
		if (this.now >= from && this.now <= to) return;
		this.look(this.now - width / 4, this.now + (width * 3) / 4, false);
	}
	look(from, to, tell = true) {
		const width = Math.min(Math.max(to - from, 10), this.end);
		const left = Math.min(Math.max(0, from), this.end - width);
		this.view = [left, left + width];
		if (tell) this.tell({ view: true });
		else this.tell({ view: true, moved: false });
	}
	zoom(factor) {
		const [from, to] = this.view;
		const share = to > from ? (this.now - from) / (to - from) : 0.5;
		const width = (to - from) * factor;
		this.look(this.now - share * width, this.now + (1 - share) * width);
	}

	play(on = !this.playing) {
		if (on === this.playing) return;
		this.playing = on;
		if (on && this.now >= this.view[1]) this.now = this.view[0];
		this.last = 0;
		if (on) requestAnimationFrame((ms) => this.tick(ms));
		this.tell({});
	}
	tick(ms) {
		if (!this.playing) return;
		const elapsed = this.last ? Math.min(0.25, (ms - this.last) / 1000) : 0;
		this.last = ms;
		this.waited += elapsed;
		if (!this.calm || this.waited >= 0.25) {
			const step = this.calm ? this.waited : elapsed;
			this.waited = 0;
			this.now = Math.min(this.view[1], this.now + step * this.speed);
			if (this.now >= this.view[1]) this.playing = false;
			this.tell({ elapsed: step });
		}
		if (this.playing) requestAnimationFrame((next) => this.tick(next));
	}
}

// 1, 2, 5, 10 ...: speeds to choose from, in ns per second; and the one that shows
// `width` ns in about 20 seconds.
export function speeds() {
	const out = [];
	for (let decade = 10; decade <= 1e9; decade *= 10) out.push(decade, 2 * decade, 5 * decade);
	return out.filter((speed) => speed <= 1e9);
}
export function fitting(width) {
	return speeds().reduce((best, speed) =>
		Math.abs(Math.log((speed * 20) / width)) < Math.abs(Math.log((best * 20) / width))
			? speed
			: best,
	);
}
