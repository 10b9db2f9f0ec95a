// The columns of replay.json (observe/replay_code.h): integers as base-64 text,
// levels as integers that stand for a quantity rounded to seven bits.

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUE = new Uint8Array(128);
for (let i = 0; i < DIGITS.length; i++) VALUE[DIGITS.charCodeAt(i)] = i;

// Calls each(value) for every integer of the text; returns how many there were.
export function decode(text, each) {
	let value = 0,
		sign = 1,
		scale = 0.5,
		n = 0; // the lowest bit of all is the sign

	for (let i = 0; i < text.length; i++) {
		const digit = VALUE[text.charCodeAt(i)];
		if (scale === 0.5) {
			sign = digit & 1 ? -1 : 1;
			value = (digit & 30) * scale;
		} else {
			value += (digit & 31) * scale;
		}
		scale *= 32;
		if (digit & 32) continue;
		each(value && sign * value);
		scale = 0.5;
		n++;
	}
	return n;
}

export function numbers(text) {
	const out = [];
	decode(text, (value) => out.push(value));
	return out;
}

// A level as the middle of what it stands for; exact below 128.
export function quantity(level) {
	if (level < 128) return level;
	const shift = (level >> 6) - 1,
		step = 2 ** shift;
	return ((level & 63) + 64) * step + (step > 1 ? step / 2 : 0);
}

// A column of `count` levels, given as differences, as quantities.
export function levels(text, count) {
	const out = new Float64Array(count);
	let level = 0,
		i = 0;

	decode(text, (step) => {
		level += step;
		out[i++] = quantity(level);
	});
	return out;
}
