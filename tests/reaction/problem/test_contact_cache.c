/* The contact cache of a state: order, keys, copies and hashes. */
#include "check.h"
#include "reaction/contact_cache.h"
#include <jounce/jounce.h>

static const char text[] =
    "bodies:\n"
    "  ground: {shape: {type: plane}}\n"
    "  ball: {mass: 1, inertia: [0.4, 0.4, 0.4], com: [0, 0, 1], shape: {type: sphere, radius: 1, at: [0, 0, 1]}}\n"
    "  box: {mass: 1, inertia: [1, 1, 1], com: [9, 0, 1], shape: {type: box, size: [1, 1, 1], at: [9, 0, 1]}}\n"
    "contacts: {all: {friction: 0.5}}\n"
    "run: {method: nonsmooth, step: 1 ms}\n";

static jn_model *compile(void) {
    jn_report report = {0};
    jn_description *d = jn_description_parse(text, sizeof text - 1, "cache.yaml", NULL, 0, &report);
    jn_model *m = d ? jn_model_compile(d, &report) : NULL;
    assert_non_null(m);
    jn_description_free(d);
    return m;
}

static bool is_sorted(const jn_state *s) {
    for (int i = 1; i < s->contact_count; i++) {
        const jn_contact_state *x = &s->contact[i - 1], *y = &s->contact[i];
        bool before = x->a != y->a ? x->a < y->a : x->b != y->b ? x->b < y->b : x->feature < y->feature;
        if (!before) return false;
    }
    return true;
}

static bool is_zero(const jn_model *m, const jn_state *s) {
    const unsigned char *byte = (const unsigned char *)(s->contact + s->contact_count);
    for (size_t k = 0; k < (size_t)(m->contact_room - s->contact_count) * sizeof *s->contact; k++)
        if (byte[k]) return false;
    return true;
}

/* Random keys go in, are renamed and taken out: the cache stays sorted, each contact keeps what it holds, zeros stand behind. */
static void contacts_keep_order_and_content(void **state) {
    (void)state;
    jn_model *m = compile();
    jn_state *s = jn_state_create(m);
    assert_int_equal(s->contact_count, 0);
    assert_null(jn_contact_cache_find(s, 0, 1, 0));
    int room = m->contact_room;
    assert_true(room >= 8);
    for (int i = 0; i < room; i++) {
        int key = (7 * i + 3) % room; /* each once if room and 7 have no common factor; else the second find sees it */
        if (jn_contact_cache_find(s, key % 3, 5, (uint32_t)key)) continue;
        jn_contact_state *c = jn_contact_cache_insert(m, s, key % 3, 5, (uint32_t)key);
        assert_non_null(c);
        c->speed = key;
        assert_true(is_sorted(s));
    }
    int count = s->contact_count;
    jn_contact_cache_rename(m, s, 0, 40, 41, 0xffffffffu);
    assert_int_equal(s->contact_count, count);
    assert_true(is_sorted(s));
    assert_int_equal(s->contact[count - 1].a, 40);
    jn_contact_cache_remove(s, 1);
    assert_int_equal(s->contact_count, count - 1);
    assert_true(is_sorted(s) && is_zero(m, s));
    for (int i = 0; i < s->contact_count - 1; i++) {
        const jn_contact_state *c = &s->contact[i];
        assert_ptr_equal(jn_contact_cache_find(s, c->a, c->b, c->feature), c);
        assert_true(c->speed == c->feature);
    }
    jn_state_free(s);
    jn_model_free(m);
}

static void a_full_cache_takes_no_more(void **state) {
    (void)state;
    jn_model *m = compile();
    jn_state *s = jn_state_create(m);
    for (int i = 0; i < m->contact_room; i++) assert_non_null(jn_contact_cache_insert(m, s, 0, 1, (uint32_t)i));
    assert_null(jn_contact_cache_insert(m, s, 0, 2, 0));
    assert_int_equal(s->contact_count, m->contact_room);
    jn_contact_cache_resize(s, 2);
    assert_true(is_zero(m, s));
    jn_state_free(s);
    jn_model_free(m);
}

/* A copy has the same hash, also into a state that had more contacts; each field changes it. */
static void copies_and_hashes_know_contacts(void **state) {
    (void)state;
    jn_model *m = compile();
    jn_state *s = jn_state_create(m), *t = jn_state_create(m);
    uint64_t empty = jn_state_hash(s);
    jn_contact_state *c = jn_contact_cache_insert(m, s, 0, 1, 7);
    uint64_t hash = jn_state_hash(s);
    assert_true(hash != empty);
    for (int i = 0; i < 5; i++) jn_contact_cache_insert(m, t, 1, 2, (uint32_t)i);
    jn_state_copy(t, s);
    assert_true(jn_state_hash(t) == hash && is_zero(m, t));
    unsigned char *byte = (unsigned char *)c;
    for (size_t k = 0; k < sizeof *c; k++) { /* no padding: each byte counts */
        byte[k] ^= 1;
        assert_true(jn_state_hash(s) != hash);
        byte[k] ^= 1;
    }
    assert_true(jn_state_hash(s) == hash);
    jn_state_free(s), jn_state_free(t);
    jn_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_keep_order_and_content),
        cmocka_unit_test(a_full_cache_takes_no_more),
        cmocka_unit_test(copies_and_hashes_know_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
