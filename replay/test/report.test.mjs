// The page in headless Chromium, from file://, made by `xoff report' from real runs.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
	cpSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { here, load, path } from "./modules.mjs";
import { csv } from "../src/format.js";
import { Run } from "../src/run.js";

const { XOFF, CHROMIUM } = process.env;
const FLAGS = [
	"--headless",
	"--no-sandbox",
	"--disable-gpu",
	"--disable-quic",
	"--no-first-run",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
];
const experiments = join(here, "..", "..", "experiments");
const RING = ["A:1", "B:1", "C:1", "D:1"];

const present = (name) => {
	try {
		return Boolean(path(name));
	} catch {
		return false;
	}
};
const missing = !XOFF
	? "XOFF is not set"
	: !CHROMIUM
		? "there is no Chromium"
		: !present("playwright-core") || !present("axe-core")
			? "its modules are not installed"
			: false;

describe("the report", { skip: missing }, () => {
	let scratch, browser;
	const file = (name) => join(scratch, `${name}.html`);
	const xoff = (...args) =>
		execFileSync(XOFF, args, { stdio: ["ignore", "ignore", "inherit"] });

	before(async () => {
		scratch = process.env.XOFF_SCRATCH
			? join(process.env.XOFF_SCRATCH, "report")
			: mkdtempSync(join(tmpdir(), "xoff-report-"));
		rmSync(scratch, { recursive: true, force: true });
		mkdirSync(scratch, { recursive: true });
		const run = (experiment, name, ...variants) =>
			xoff(
				"run",
				"--quiet",
				"--no-expect",
				join(experiments, experiment),
				"-o",
				join(scratch, name),
				...variants.flatMap((v) => ["--variant", v]),
			);
		run("deadlock/ring.json", "ring");
		run("deadlock/whole-port.json", "whole", "802.3x");
		xoff("report", "--quiet", join(scratch, "whole"), "-o", file("whole"));
		run("incident/shared-priority-storm.json", "incident", "base", "all-three");
		xoff("report", "--quiet", join(scratch, "ring"), "-o", file("ring"));
		xoff("report", "--quiet", join(scratch, "incident"), "-o", file("incident"));
		browser = await load("playwright-core").chromium.launch({
			executablePath: CHROMIUM,
			args: FLAGS,
		});
	});
	after(async () => {
		await browser?.close();
		if (scratch && !process.env.KEEP) rmSync(scratch, { recursive: true, force: true });
	});

	// Opens a report; fails on anything in the console and on any request.
	async function open(name, { hash = "", init = null, ...options } = {}) {
		const context = await browser.newContext({
			viewport: { width: 1280, height: 800 },
			...options,
		});
		const page = await context.newPage(),
			url = `file://${file(name)}`,
			wrong = [];
		page.on("console", (message) => wrong.push(`${message.type()}: ${message.text()}`));
		page.on("pageerror", (error) => wrong.push(error.stack));
		page.on(
			"request",
			(request) =>
				request.url().split("#")[0] === url ||
				wrong.push(`asks for ${request.url()}`),
		);
		if (init) await page.addInitScript(init);
		await page.goto(url + hash);
		await page.waitForFunction(() => document.documentElement.dataset.ready, null, {
			timeout: 30000,
		});
		return {
			page,
			close: async () => {
				await context.close();
				assert.deepEqual(wrong, []);
			},
		};
	}
	const seek = (page, value) =>
		page.evaluate((v) => {
			const slider = document.querySelector("#time");
			slider.value = v;
			slider.dispatchEvent(new Event("input", { bubbles: true }));
		}, value);
	const now = async (page) =>
		Number(await page.locator("#time").evaluate((slider) => slider.value));
	const until = (page, test, argument) =>
		page.waitForFunction(test, argument, { timeout: 5000 });

	test("what cannot be shown is told, with the exit code of its kind", () => {
		const fails = (status, pattern, ...args) => {
			const { status: code, stderr } = spawnSync(XOFF, ["report", ...args], {
				encoding: "utf8",
			});
			assert.equal(code, status, stderr);
			assert.match(stderr, pattern);
		};
		fails(2, /there is no folder .*nowhere/, join(scratch, "nowhere"));
		fails(2, /is .* a run directory/, experiments);
		fails(2, /one argument|usage|DIR/);
		fails(
			4,
			/cannot .*report.html/,
			join(scratch, "ring"),
			"-o",
			join(scratch, "nowhere", "report.html"),
		);
		cpSync(join(scratch, "ring/base"), join(scratch, "old"), { recursive: true });
		rmSync(join(scratch, "old", "replay.json"));
		fails(2, /holds no replay.json/, join(scratch, "old"), "-o", file("old"));
		assert.throws(() => statSync(file("old")));
	});

	test("sizes: at most 1 MB for the ring, 5 MB for the incident", () => {
		assert.ok(
			statSync(file("ring")).size <= 1e6,
			`ring: ${statSync(file("ring")).size}`,
		);
		assert.ok(
			statSync(file("incident")).size <= 5e6,
			`incident: ${statSync(file("incident")).size}`,
		);
	});

	test("the same runs give the same bytes", () => {
		xoff("report", "--quiet", join(scratch, "ring"), "-o", file("again"));
		assert.ok(readFileSync(file("again")).equals(readFileSync(file("ring"))));
	});

	test("what is replayed adds up to what the summary says", () => {
		for (const dir of ["ring/third-greedy", "ring/base", "incident/base"]) {
			const text = (name) => readFileSync(join(scratch, dir, name), "utf8");
			const run = new Run({
				label: dir,
				summary: text("summary.json"),
				resolved: text("resolved.json"),
				replay: text("replay.json"),
				events: text("events.csv"),
			});
			const paused = [...run.pausedFor.values()].reduce((a, b) => a + b, 0);
			const said = run.summary.pfc.paused_ps / 1000;
			assert.equal(run.pauses.leftOut, 0);
			assert.ok(
				Math.abs(paused - said) <= run.pauses.n * 2,
				`${dir}: ${paused} ns, ${said} ns`,
			);
			const sum = (column) =>
				run.channels.reduce(
					(all, c) =>
						all + (c[column]?.reduce((x, y) => x + y, 0) ?? 0),
					0,
				);
			const ports = csv(text("ports.csv"));
			for (const [column, name] of [
				["marked", "marked_frames"],
				["sent", "tx_bytes"],
			]) {
				const wanted = ports.reduce(
					(all, row) => all + Number(row[name]),
					0,
				);
				assert.ok(
					Math.abs(sum(column) - wanted) <= 0.005 * wanted,
					`${dir}: ${sum(column)} ${column}, ${wanted}`,
				);
			}
			// no port is shown to send more than its line
			for (const c of run.channels)
				for (let i = 1; i < run.frames.length; i++)
					assert.ok(
						run.rate(c, i) <= run.ports[c.port].rate,
						`${dir}: ${run.name(c.key)} ${run.rate(c, i)} bps`,
					);
			assert.deepEqual(
				run.deadlocks[0]?.cycle.map(
					(key) => `${run.name(key)}/${key % 8}`,
				) ?? [],
				run.summary.deadlock.cycle,
			);
		}
	});

	test("opens without a word in the console and without a request", async () => {
		for (const name of ["ring", "incident"]) {
			const { page, close } = await open(name);
			assert.match(await page.title(), /xoff report/);
			assert.ok((await page.locator(".findings li").count()) > 0);
			await page.waitForTimeout(300);
			await close();
		}
	});

	test("the slider at the deadlock: four ports in red, the circle named", async () => {
		const { page, close } = await open("ring", { hash: "#a=third-greedy" });
		const [at] = JSON.parse(
			readFileSync(join(scratch, "ring/third-greedy/replay.json"), "utf8"),
		).deadlocks;
		await seek(page, at.at_ps / 1000 - 1);
		assert.equal(await page.locator(".pause.deadlocked").count(), 0);
		await seek(page, at.at_ps / 1000);
		const red = page.locator(".pause.deadlocked");
		assert.deepEqual(
			(await red.evaluateAll((all) => all.map((g) => g.dataset.port))).sort(),
			RING,
		);
		for (const color of await red
			.locator(".stop")
			.evaluateAll((all) => all.map((l) => getComputedStyle(l).stroke)))
			assert.equal(color, "rgb(204, 51, 17)");
		const circle = "A:1 → B:1 → C:1 → D:1 → A:1";
		assert.ok((await page.locator(".banner").innerText()).includes(circle));
		assert.ok(
			(await page.locator(".wait-list").innerText()).includes(
				`${circle}: each waits for the next, priority 3`,
			),
		);
		assert.equal(await page.locator(".pill.deadlocked").count(), 4);
		await close();
	});

	test("802.3x: the circle goes from priority to priority, and says so", async () => {
		const { page, close } = await open("whole", { hash: "#t=300us" });
		const circle = "A:1/4 → B:1/3 → C:1/3 → D:1/4 → A:1/4, priorities 3 and 4";
		assert.ok((await page.locator(".banner").innerText()).endsWith(circle));
		assert.match(
			await page.locator(".wait-list").innerText(),
			/A:1\/4 has been stopped for [^:]*: B:2 held 10\d KB, .* for B:1\/3\./,
		);
		assert.equal(await page.locator(".pill.deadlocked").count(), 4);
		// what stops the other priority is named too
		assert.ok(!/held 0 B/.test(await page.locator(".wait-list").innerText()));
		await close();
	});

	test("the keyboard alone plays, steps and seeks", async () => {
		const { page, close } = await open("ring", { hash: "#a=third-greedy" });
		await page.keyboard.press("Home");
		assert.equal(await now(page), 0);
		await page.keyboard.press("Space");
		await until(page, () => Number(document.querySelector("#time").value) > 0);
		assert.match(await page.locator("#play").getAttribute("aria-label"), /Pause/);
		await page.keyboard.press("Space");
		const stopped = await now(page);
		await page.waitForTimeout(200);
		assert.equal(await now(page), stopped);
		await page.keyboard.press("Home");
		await page.keyboard.press("ArrowRight"); // the first pause
		const first = await now(page);
		assert.ok(first > 0);
		assert.equal(await page.locator(".pause").count(), 1);
		await page.keyboard.press("ArrowRight");
		assert.ok((await now(page)) > first);
		await page.keyboard.press("ArrowLeft");
		assert.equal(await now(page), first);
		await page.keyboard.press("Shift+ArrowRight"); // the deadlock
		assert.equal(await page.locator(".pause.deadlocked").count(), 4);
		await page.keyboard.press("End");
		const end = await now(page);
		await page.keyboard.press("PageUp");
		assert.ok((await now(page)) < end);
		const speed = await page.locator("#speed").inputValue();
		await page.keyboard.press("+");
		assert.ok(Number(await page.locator("#speed").inputValue()) > Number(speed));
		// the controls can be reached, and work there
		for (
			let i = 0;
			i < 80 && (await page.evaluate(() => document.activeElement.id)) !== "time";
			i++
		)
			await page.keyboard.press("Tab");
		assert.equal(await page.evaluate(() => document.activeElement.id), "time");
		await page.keyboard.press("Home");
		await page.keyboard.press("ArrowRight");
		assert.equal(await now(page), first);
		await close();
	});

	test("axe finds no serious fault, in light and in dark", async () => {
		const source = readFileSync(join(path("axe-core"), "..", "axe.min.js"), "utf8");
		for (const name of ["ring", "incident"])
			for (const colorScheme of ["light", "dark"]) {
				const { page, close } = await open(name, { colorScheme });
				await page.evaluate(source);
				const { violations } = await page.evaluate(() =>
					globalThis.axe.run(),
				);
				const grave = violations.filter((v) =>
					["serious", "critical"].includes(v.impact),
				);
				assert.deepEqual(
					grave.map((v) => [
						v.id,
						v.nodes
							.map((n) => n.html.slice(0, 200))
							.slice(0, 4),
					]),
					[],
				);
				await close();
			}
	});

	test("no text is smaller than 14 px", async () => {
		for (const name of ["ring", "incident"]) {
			const { page, close } = await open(name);
			const small = await page.evaluate(() =>
				[...document.body.querySelectorAll("*")]
					.filter(
						(e) =>
							[...e.childNodes].some(
								(n) =>
									n.nodeType === 3 &&
									n.data.trim(),
							) &&
							![
								"SCRIPT",
								"STYLE",
								"TITLE",
								"title",
								"NOSCRIPT",
							].includes(e.tagName) &&
							parseFloat(getComputedStyle(e).fontSize) <
								14,
					)
					.map(
						(e) =>
							`${e.tagName}.${e.className?.baseVal ?? e.className}: ${e.textContent.slice(0, 30)}`,
					),
			);
			assert.deepEqual(small, []);
			await close();
		}
	});

	test("who wants no motion gets none: no running dashes, few steps", async () => {
		const { page, close } = await open("incident", {
			reducedMotion: "reduce",
			hash: "#a=base&t=1.5ms",
		});
		await page.keyboard.press("Space");
		const seen = await page.evaluate(async () => {
			const values = new Set(),
				from = performance.now();
			while (performance.now() - from < 1000) {
				values.add(document.querySelector("#time").value);
				await new Promise(requestAnimationFrame);
			}
			return values.size;
		});
		assert.ok(seen >= 2 && seen <= 6, `${seen} steps in a second`);
		const painted = await page
			.locator("canvas.stream")
			.first()
			.evaluate((canvas) =>
				canvas
					.getContext("2d")
					.getImageData(0, 0, canvas.width, canvas.height)
					.data.some((v) => v),
			);
		assert.equal(painted, false);
		await close();
	});

	test("two runs side by side on one clock", async () => {
		const { page, close } = await open("incident", {
			hash: "#a=base&b=all-three&t=2.5ms",
		});
		assert.deepEqual(await page.locator(".panel-head h3").allInnerTexts(), [
			"base",
			"all-three",
		]);
		assert.ok((await page.locator(".panel").nth(0).locator(".pause.p3").count()) > 0);
		assert.ok((await page.locator(".panel").nth(1).locator(".pause.p4").count()) > 0);
		assert.ok((await page.locator(".params tr.differs").count()) > 3);
		await page.locator("#run-b").selectOption("-1");
		await until(page, () => document.querySelectorAll(".panel").length === 1);
		await close();
	});

	test("events say why; one of them is a way to its instant", async () => {
		const { page, close } = await open("incident", { hash: "#a=base&t=2.5ms" });
		const rows = await page.locator(".events tbody tr").allInnerTexts();
		assert.ok(
			rows.some(
				(row) =>
					/spine\d:3 .*all of it for leaf3:6, which is not stopped: it is congested/s.test(
						row,
					) || /leaf3:\d held .* for leaf3:6/s.test(row),
			),
			rows.slice(0, 5).join("\n"),
		);
		const button = page.locator(".events tbody button").nth(20);
		const time = await button.innerText();
		await button.click();
		assert.ok(
			(await page.locator(".instant").innerText()).startsWith(
				time.split(" ")[0].slice(0, 6),
			),
		);
		await close();
	});

	test("a browser without DecompressionStream reads it all the same", async () => {
		const { page, close } = await open("ring", {
			init: "delete globalThis.DecompressionStream",
		});
		assert.equal(await page.locator(".panel").count(), 1);
		await close();
	});

	test("names from a configuration are text, whatever they hold", async () => {
		const evil =
			"<img src=x onerror=\"document.title='taken'\">&\"'</script><script>alert(1)</script>";
		const dir = join(scratch, 'evil "<b>&run');
		cpSync(join(scratch, "ring/third-greedy"), dir, { recursive: true });
		for (const name of ["replay.json", "summary.json", "resolved.json"]) {
			const text = readFileSync(join(dir, name), "utf8"),
				quoted = JSON.stringify(evil).slice(1, -1);
			writeFileSync(
				join(dir, name),
				text
					.replaceAll('"hA"', `"${quoted}"`)
					.replaceAll("deadlock-ring", quoted)
					.replaceAll('"rdma"', `"${quoted}"`)
					.replaceAll('"first"', `"${quoted}"`),
			);
		}
		xoff("report", "--quiet", dir, "-o", file("evil"));
		const { page, close } = await open("evil");
		assert.equal(await page.locator("img").count(), 0);
		assert.ok((await page.title()).startsWith(evil));
		assert.equal(await page.locator("h1").innerText(), evil);
		assert.equal(await page.locator(".panel-head h3").innerText(), 'evil "<b>&run');
		await close();
	});

	test("scrubbing is fluid", async (t) => {
		for (const name of ["ring", "incident"]) {
			const { page, close } = await open(name, {
				hash: name === "ring" ? "" : "#a=base&b=all-three",
			});
			const took = await page.evaluate(async () => {
				const slider = document.querySelector("#time"),
					out = [];
				for (let i = 0; i < 60; i++) {
					slider.value = (((i * 37) % 60) / 60) * Number(slider.max);
					const from = performance.now();
					slider.dispatchEvent(new Event("input", { bubbles: true }));
					out.push(performance.now() - from);
					await new Promise(requestAnimationFrame);
				}
				return out.sort((a, b) => a - b);
			});
			await page.keyboard.press("Home");
			await page.keyboard.press("Space");
			const frames = await page.evaluate(async () => {
				let n = 0;
				for (
					const from = performance.now();
					performance.now() - from < 1500;
					n++
				)
					await new Promise(requestAnimationFrame);
				return n / 1.5;
			});
			t.diagnostic(
				`${name}: a seek takes ${took[30].toFixed(1)} ms (at most ${took[59].toFixed(1)}); ` +
					`${frames.toFixed(0)} frames a second while playing, without a graphics processor`,
			);
			assert.ok(took[30] < 100, `median ${took[30]} ms`);
			await close();
		}
	});
});
