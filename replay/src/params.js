// Every setting that had an effect (resolved.json); of two runs, what differs first.

import { select } from "d3-selection";
import { flatten } from "./flatten.js";

const SOME = 400;

export class Params {
	constructor(box) {
		const head = select(box).append("div").attr("class", "params-head");
		const label = head.append("label").text("Find ");
		this.find = label
			.append("input")
			.attr("type", "search")
			.on("input", () => this.draw());
		this.note = head.append("span").attr("class", "note").attr("role", "status");
		this.frame = select(box)
			.append("div")
			.attr("class", "params")
			.attr("tabindex", 0)
			.attr("role", "region")
			.attr("aria-label", "Parameters");
		this.table = this.frame.append("table");
	}

	show(runs) {
		this.runs = runs;
		this.maps = runs.map((run) => flatten(run.resolved));
		const paths = [...new Set(this.maps.flatMap((map) => [...map.keys()]))];
		this.rows = paths.map((path) => {
			const values = this.maps.map((map) => map.get(path) ?? "–");
			return { path, values, differs: values.some((v) => v !== values[0]) };
		});
		if (runs.length > 1) this.rows.sort((a, b) => b.differs - a.differs);
		this.draw();
	}

	draw() {
		const wanted = this.find.property("value").toLowerCase();
		const rows = this.rows.filter((row) =>
			`${row.path} ${row.values.join(" ")}`.toLowerCase().includes(wanted),
		);

		this.table.selectAll("*").remove();
		const head = this.table.append("thead").append("tr");
		for (const name of ["Setting", ...this.runs.map((run) => run.label)])
			head.append("th").attr("scope", "col").text(name);
		const tr = this.table
			.append("tbody")
			.selectAll("tr")
			.data(rows.slice(0, SOME))
			.join("tr")
			.classed("differs", (d) => d.differs);
		tr.append("th")
			.attr("scope", "row")
			.append("code")
			.text((d) => d.path);
		tr.selectAll("td")
			.data((d) => d.values)
			.join("td")
			.text((d) => d);
		const different = this.rows.filter((row) => row.differs).length;
		this.note.text(
			`${rows.length} settings${this.runs.length > 1 ? `, ${different} differ` : ""}` +
				(rows.length > SOME ? `; the first ${SOME} are shown` : ""),
		);
	}
}
