/* Hashes that need nothing but the core of the library. */
#include "algebra/elementary.h"
#include "base/hash.h"
#include "golden.h"
#include "scenes.h"
#include <math.h>
#include <string.h>

/* Enough contacts for sweeps by colours. */
bool golden_pile(bool rigid, uint64_t *hash) {
    jn_report report = {0};
    jn_description *d = scene_spheres_in_box(1000, 0.05, 0.5);
    jn_contact_desc c = jn_contact_default("ball");
    c.restitution = 0.2, c.friction = 0.3;
    jn_description_add_contact(d, &c);
    d->run.method = JN_METHOD_NONSMOOTH, d->run.step = 4e-3, d->run.residual = 1e-6, d->run.penetration = 1e-5;
    if (rigid) d->run.compliance = 0;
    jn_model *m = jn_model_compile(d, &report);
    jn_sim *sim = m ? jn_sim_create(m, &report) : NULL;
    bool ran = sim && jn_sim_advance(sim, 0.2) == JN_OK;
    if (ran) *hash = jn_state_hash(jn_sim_state(sim));
    jn_sim_free(sim);
    jn_model_free(m);
    jn_description_free(d);
    return ran;
}

static uint64_t add(uint64_t hash, double x) {
    if (x != x) x = 0; /* signs and payloads of what is no number are the processor's */
    return jn_hash_bytes(hash, &x, sizeof x);
}

uint64_t golden_elementary(void) {
    double (*const one[])(double) = {jn_sin,   jn_cos,   jn_tan,  jn_asin, jn_acos, jn_atan,  jn_exp,  jn_expm1, jn_log,
                                     jn_log1p, jn_log10, jn_sinh, jn_cosh, jn_tanh, jn_acosh, jn_cbrt, jn_gamma};
    uint64_t hash = JN_HASH_START, x = 88172645463325252;
    for (int k = 0; k < 20000; k++) {
        double a, b;
        uint64_t bits[2];
        for (int i = 0; i < 2; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;                            /* [Marsaglia2003] */
            uint64_t exponent = k % 4 ? 1013 + (x >> 52) % 20 : x >> 52 & 2047; /* three of four between 1e-3 and 1e3 */
            bits[i] = (x & (UINT64_C(0x800fffffffffffff))) | exponent << 52;
        }
        memcpy(&a, &bits[0], sizeof a), memcpy(&b, &bits[1], sizeof b);
        for (size_t i = 0; i < sizeof one / sizeof *one; i++) hash = add(hash, one[i](a));
        hash = add(add(add(hash, jn_pow(fabs(a), b)), jn_atan2(a, b)), jn_hypot_safe(a, b));
    }
    return hash;
}
