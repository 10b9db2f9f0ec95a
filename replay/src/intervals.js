// Which intervals contain an instant?  A balanced tree over their ends, in the
// order of their starts: a question about n intervals, of which k are the
// answer, looks at no more than about (k + 1) log2 n of them.  `touched` counts
// what the last question looked at.

// Index of the first element of `array` that is > value (upper) or >= value.
export function search(array, value, upper = false, from = 0, to = array.length) {
	while (from < to) {
		const middle = (from + to) >> 1;
		if (array[middle] < value || (upper && array[middle] === value)) from = middle + 1;
		else to = middle;
	}
	return from;
}

export class Intervals {
	// `starts` ascending; interval i is [starts[i], ends[i]).
	constructor(starts, ends) {
		let size = 1;
		while (size < starts.length) size *= 2;
		this.starts = starts;
		this.ends = ends;
		this.size = size;
		this.latest = new Float64Array(2 * size).fill(-Infinity); // end, of each subtree
		this.latest.set(ends, size);
		for (let i = size - 1; i > 0; i--)
			this.latest[i] = Math.max(this.latest[2 * i], this.latest[2 * i + 1]);
		this.touched = 0;
	}

	// Calls visit(i) for each interval that contains t, in order of starts.
	at(t, visit) {
		this.touched = 0;
		const { starts, latest, size } = this;
		let from = 0,
			to = starts.length;

		while (from < to) {
			// how many have started
			const middle = (from + to) >> 1;
			this.touched++;
			if (starts[middle] <= t) from = middle + 1;
			else to = middle;
		}
		const started = from;
		const descend = (node, first, width) => {
			if (first >= started) return;
			this.touched++;
			if (latest[node] <= t) return;
			if (node >= size) {
				visit(node - size);
				return;
			}
			descend(2 * node, first, width / 2);
			descend(2 * node + 1, first + width / 2, width / 2);
		};
		descend(1, 0, size);
	}
}
