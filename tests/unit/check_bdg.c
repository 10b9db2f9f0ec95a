/* analyze/routing, bdg: graphs whose circles are known, components against a closure. */
#include "sim/mem.h"
#include "tests/unit/bdg_fabrics.h"

static bool cyclic(const struct routing *r, enum bdg_scope scope, int *priorities,
		   struct bdg_cycle *c)
{
	struct bdg *g = bdg_new(r, scope);
	struct bdg_result result;
	bool has = bdg_build(g, ROUTING_GLOBAL, NULL, 0, &result);

	if (priorities)
		*priorities = bdg_priorities(g);
	if (c)
		bdg_cycle(g, c);
	ck_assert_int_eq(has, result.members > 0);
	bdg_free(&g);
	return has;
}

/* --------------------------------------------------------------- known graphs */

START_TEST(ring_has_circle)
{
	struct bdg_cycle c;
	int priorities;

	begin();
	ring(4);
	struct routing *r = finish();
	ck_assert(cyclic(r, BDG_ALL, &priorities, &c));
	ck_assert_int_eq(c.n, 4);
	ck_assert_int_eq(priorities, 2);
	for (int i = 0; i < c.n; i++) {		/* each vertex's frames go on to the next */
		const struct bdg_flow *f = &c.flow[i];
		ck_assert_uint_eq(r->channel[f->path[f->at]].in_port, c.vertex[i].port);
		ck_assert_uint_eq(r->channel[f->path[f->at + 1]].in_port,
				  c.vertex[(i + 1) % 4].port);
		ck_assert_int_eq(f->at, 0);	/* shortest witness: it enters there */
		ck_assert_int_eq(c.vertex[i].prio, 3);
	}
	bdg_cycle_fini(&c);
	end(r);
}
END_TEST

START_TEST(up_down_has_none)
{
	int priorities;

	for (int k = 0; k < 3; k++) {
		begin();
		if (k == 0)
			leaf_spine(4, 3, 2, 1);
		else if (k == 1)
			leaf_spine(3, 2, 2, 2);
		else
			fat_tree(4);
		struct routing *r = finish();
		ck_assert(!cyclic(r, BDG_ALL, &priorities, NULL));
		ck_assert_int_eq(priorities, 1);
		ck_assert(!r->by_hand);
		ck_assert_uint_eq(r->ngroups, k == 0 ? 4 : k == 1 ? 3 : 8);
		end(r);
	}
}
END_TEST

/* Only who sends to whom in a list counts, not all of its senders to all of its receivers.  On a
 * ring of four where two hops go clockwise, flows to the next switch depend on nobody; flows to
 * the next but one are the circle. */
START_TEST(a_list_has_its_pairs)
{
	char h[4][4], *host[4];
	struct workload_flow list[4];

	for (int far = 0; far < 2; far++) {
		begin();
		ring(4);
		for (int i = 0; i < 4; i++) {
			snprintf(h[i], sizeof(h[i]), "h%d", i);
			host[i] = h[i];
			list[i] = (struct workload_flow){ 0, 1000, i, (i + (far ? 2 : 1)) % 4 };
			bed_route(&b, name(0, "s%d", i, 0), name(1, "h%d", (i + 2) % 4, 0),
				  name(2, "s%d", (i + 1) % 4, 0));
		}
		bed_traffic(&b, (struct workload_conf){ .kind = WORKLOAD_LIST, .from = host, .nfrom = 4, .to = host,
			.nto = 4, .list = list, .nlist = 4 }, "l");
		struct routing *r = finish();
		ck_assert_int_eq(cyclic(r, BDG_TRAFFIC, NULL, NULL), far);
		end(r);
	}
}
END_TEST

/* spine0 has lost leaf0 and turns back down to leaf2, spine1 leaf1 and to leaf3. */
START_TEST(bounce_has_circle)
{
	int priorities;

	begin();
	leaf_spine(4, 2, 2, 1);
	bed_route(&b, "spine0", "h0", "leaf2");
	bed_route(&b, "leaf2", "h0", "spine1");
	bed_route(&b, "spine1", "h2", "leaf3");
	bed_route(&b, "leaf3", "h2", "spine0");
	struct routing *r = finish();
	ck_assert(r->by_hand);
	ck_assert(cyclic(r, BDG_ALL, &priorities, NULL));
	ck_assert_int_eq(priorities, 2);
	end(r);
}
END_TEST

/* The same two bounces, at leaves 2 and 3, with a tag: each is down, up, down once, and
 * what is tagged only goes down. */
START_TEST(tags_break_the_bounce)
{
	int priorities;

	for (int tagged = 0; tagged < 2; tagged++) {
		begin();
		if (tagged)
			tag_bounces(2);
		leaf_spine(4, 2, 2, 1);
		bed_route(&b, "spine0", "h0", "leaf2");
		bed_route(&b, "leaf2", "h0", "spine1");
		bed_route(&b, "spine1", "h2", "leaf3");
		bed_route(&b, "leaf3", "h2", "spine0");
		bed_stream(&b, "one", "h7", "h0", 0, 1000, 0, UNITS_NEVER);
		struct routing *r = finish();
		ck_assert_int_eq(cyclic(r, BDG_ALL, &priorities, NULL), !tagged);
		ck_assert_int_eq(priorities, tagged ? 1 : 2);
		end(r);
	}
}
END_TEST

/* A tag that is taken off again at the next switch is none: the circle changes class
 * on its way, and comes back. */
START_TEST(circle_through_both_classes)
{
	struct switch_remap_conf rule[4];
	char s[4][4], *names[4] = { s[0], s[1], s[2], s[3] };
	struct bdg_cycle c;

	begin();
	tag_bounces(2);
	b.sw.nremaps = 0;
	for (int i = 0; i < 4; i++) {
		snprintf(s[i], sizeof(s[i]), "s%d", i);
		rule[i] = (struct switch_remap_conf){ .name = "turn", .from = names, .to = names,
						      .froms = 4, .tos = 4 };
		for (int k = 0; k < FABRIC_CLASSES; k++)
			rule[i].class_to[k] = -1;
		rule[i].class_to[i % 2 ? BED_BULK : BED_RDMA] = i % 2 ? BED_RDMA : BED_BULK;
		b.sw.remap = &rule[i];
		b.sw.nremaps = 1;
		bed_switch(&b, s[i]);
	}
	for (int i = 0; i < 4; i++)
		wire(s[i], 0, s[(i + 1) % 4], 1);
	for (int i = 0; i < 4; i++)
		hosts(s[i], i, 1);
	for (int i = 0; i < 4; i++)	/* all clockwise: each to the one three away */
		for (int k = 0; k < 3; k++)
			bed_route(&b, s[(i + k) % 4], name(2, "h%d", (i + 3) % 4, 0), s[(i + k + 1) % 4]);
	for (int i = 0; i < 4; i++)
		bed_stream(&b, name(3, "t%d", i, 0), name(4, "h%d", i, 0), name(5, "h%d", (i + 3) % 4, 0), 0,
			   1000, 0, UNITS_NEVER);
	struct routing *r = finish();
	ck_assert(cyclic(r, BDG_TRAFFIC, NULL, &c));
	ck_assert_int_eq(c.n, 4);
	for (int i = 0; i < c.n; i++) {	/* into s0 and s2 as data, into s1 and s3 as bulk */
		uint32_t node = view_port(r->f, c.vertex[i].port).node;
		ck_assert_int_eq(c.vertex[i].prio, view_node_name(r->f, node)[1] % 2 ? 4 : 3);
	}
	bdg_cycle_fini(&c);
	end(r);
}
END_TEST

START_TEST(loop_needs_more_than_priorities)
{
	int priorities;

	begin();
	ring(3);
	bed_route(&b, "s0", "h2", "s1");
	bed_route(&b, "s1", "h2", "s0");
	struct routing *r = finish();
	ck_assert(cyclic(r, BDG_ALL, &priorities, NULL));
	ck_assert_int_eq(priorities, 0);
	end(r);
}
END_TEST

/* The two flooding ToRs of Guo et al., SIGCOMM 2016, 4.2. */
static void flooding(bool drop)
{
	static const char *const ways[][3] = { { "T0", "S3", "La" }, { "T1", "S2", "Lb" } };
	struct sim_error err = { 0 };

	begin();
	for (int i = 0; i < 4; i++)
		bed_switch(&b, (const char *[]){ "T0", "T1", "La", "Lb" }[i]);
	wire("T0", 20, "La", 0);
	wire("T0", 21, "Lb", 0);
	wire("T1", 20, "La", 1);
	wire("T1", 21, "Lb", 1);
	for (int i = 1; i < 5; i++)
		bed_leaf(&b, name(7, "S%d", i, 0), i < 3 ? "T0" : "T1", i, 40 * BED_G, BED_NS);
	for (int i = 0; i < 2; i++) {
		char way[2] = { (char)('a' + i), 0 }, at[4], to[4];

		bed_route(&b, ways[i][0], ways[i][1], ways[i][2]);
		snprintf(at, sizeof(at), "T%d", 1 - i);
		snprintf(to, sizeof(to), "S%d", 3 - i);
		ck_assert(!fabric_add_route(
			b.f,
			&(struct route_conf){
				.name = way, .at = at, .to = to, .flood = !drop, .drop = drop },
			&err));
	}
	bed_stream(&b, "one", "S1", "S3", 0, 1000, 0, UNITS_NEVER);
	bed_stream(&b, "two", "S4", "S2", 0, 1000, 0, UNITS_NEVER);
}

START_TEST(flooding_has_circle)
{
	struct bdg_cycle c;
	int flooded = 0;

	flooding(false);
	struct routing *r = finish();
	ck_assert(cyclic(r, BDG_TRAFFIC, NULL, &c));
	ck_assert_int_eq(c.n, 4);
	for (int i = 0; i < c.n; i++)
		flooded += c.flow[i].floods;
	ck_assert_int_eq(flooded, 2);
	bdg_cycle_fini(&c);
	end(r);
	flooding(true);
	r = finish();
	ck_assert(!cyclic(r, BDG_TRAFFIC, NULL, NULL));
	end(r);
}
END_TEST

/* Two streams round half a ring each close no circle; their ACKs would. */
START_TEST(answers_count)
{
	for (int acked = 0; acked < 2; acked++) {
		begin();
		ring(3);
		if (acked) {
			bed_route(&b, "s0", "h2", "s1");
			bed_route(&b, "s2", "h1", "s0"); /* ACKs of h0 > h2 do not pass here */
			bed_route(&b, "s1", "h0", "s2");
			bed_flow(&b, "a", "h0", "h2", 1000, 1);
			bed_flow(&b, "b", "h2", "h1", 1000, 1);
			bed_flow(&b, "c", "h0", "h1", 1000, 1);
		} else {
			bed_route(&b, "s0", "h2", "s1");
			bed_route(&b, "s2", "h1", "s0");
			bed_route(&b, "s1", "h0", "s2");
			bed_stream(&b, "a", "h0", "h2", 0, 1000, 0, UNITS_NEVER);
			bed_stream(&b, "b", "h2", "h1", 0, 1000, 0, UNITS_NEVER);
		}
		struct routing *r = finish();
		ck_assert_int_eq(cyclic(r, BDG_TRAFFIC, NULL, NULL), acked);
		end(r);
	}
}
END_TEST

/* The data of a READ comes from the responder.  Three go round a ring of three, two hops each:
 * a circle; what was asked for by WRITE would have gone the other way, one hop each. */
START_TEST(a_read_brings_data_back)
{
	for (int read = 0; read < 2; read++) {
		begin();
		b.nic.ack_class = BED_BULK;	/* lossy: it waits on nothing */
		b.nic.verb = read ? NIC_READ : NIC_WRITE;
		ring(3);
		bed_route(&b, "s0", "h2", "s1");
		bed_route(&b, "s2", "h1", "s0");
		bed_route(&b, "s1", "h0", "s2");
		bed_flow(&b, "a", "h2", "h0", 1000, 1);
		bed_flow(&b, "b", "h1", "h2", 1000, 1);
		bed_flow(&b, "c", "h0", "h1", 1000, 1);
		struct routing *r = finish();
		ck_assert_int_eq(cyclic(r, BDG_TRAFFIC, NULL, NULL), read);
		end(r);
	}
}
END_TEST

/* A switch that takes the DSCP for a lossy class waits on nobody: no circle. */
START_TEST(lossy_switch_breaks_it)
{
	begin();
	for (int i = 0; i < 4; i++) {
		b.sw.dscp_to_tc[26] = i == 2 ? 1 : -1;
		bed_switch(&b, name(0, "s%d", i, 0));
	}
	for (int i = 0; i < 4; i++)
		wire(name(0, "s%d", i, 0), 0, name(1, "s%d", (i + 1) % 4, 0), 1);
	for (int i = 0; i < 4; i++)
		hosts(name(0, "s%d", i, 0), i, 1);
	struct routing *r = finish();
	ck_assert(!cyclic(r, BDG_ALL, NULL, NULL));
	end(r);
}
END_TEST

/* ---------------------------------------------------- components by closure */

static void close_paths(const struct bdg *g, uint32_t n, bool *reach)
{
	for (uint32_t v = 0; v < n; v++) {
		const uint32_t *to;
		uint32_t edges = bdg_edges_of(g, v, &to);

		for (uint32_t e = 0; e < edges; e++)
			reach[v * n + to[e]] = true;
	}
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = 0; reach[i * n + k] && j < n; j++)
				reach[i * n + j] |= reach[k * n + j];
}

START_TEST(components_are_those_of_the_closure)
{
	random_fabric(rng_hash(5, (uint64_t)_i));
	struct routing *r = finish();
	struct bdg *g = bdg_new(r, BDG_ALL);
	struct bdg_result result;
	bdg_build(g, ROUTING_GLOBAL, NULL, 0, &result);
	uint32_t n = bdg_vertices(g);
	bool *reach = mem_zalloc((size_t)n * n);

	close_paths(g, n, reach);
	for (uint32_t v = 0; v < n; v++) {
		ck_assert_int_eq(reach[v * n + v], bdg_component(g, v) != UINT32_MAX);
		for (uint32_t w = 0; w < n && reach[v * n + v]; w++)
			ck_assert_int_eq(reach[v * n + w] && reach[w * n + v],
					 bdg_component(g, v) == bdg_component(g, w));
	}
	free(reach);
	bdg_free(&g);
	end(r);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bdg");
	TCase *tc = tcase_create("bdg");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, ring_has_circle);
	tcase_add_test(tc, up_down_has_none);
	tcase_add_test(tc, a_list_has_its_pairs);
	tcase_add_test(tc, bounce_has_circle);
	tcase_add_test(tc, tags_break_the_bounce);
	tcase_add_test(tc, circle_through_both_classes);
	tcase_add_test(tc, loop_needs_more_than_priorities);
	tcase_add_test(tc, flooding_has_circle);
	tcase_add_test(tc, answers_count);
	tcase_add_test(tc, a_read_brings_data_back);
	tcase_add_test(tc, lossy_switch_breaks_it);
	tcase_add_loop_test(tc, components_are_those_of_the_closure, 0, 30);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
