/* The library from C++: every public header, a model made by a program, steps, contacts, channels, a state kept and set again.
 *
 * A ball of mass m lies on a plane: its contact carries m g. Pushed down by F it carries m g + F. */
#include <jounce/algebra.h>
#include <jounce/base.h>
#include <jounce/contact_state.h>
#include <jounce/description.h>
#include <jounce/description_devices.h>
#include <jounce/description_mechanism.h>
#include <jounce/description_run.h>
#include <jounce/jounce.h>
#include <jounce/laws.h>
#include <jounce/model.h>
#include <jounce/motion.h>
#include <jounce/proximity.h>
#include <jounce/reaction.h>
#include <jounce/step.h>
#include <jounce/study.h>
#include <jounce/trace.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace {

const double mass = 2, radius = 0.1, gravity = 9.81;

jn_model *make_ball(jn_report *report) {
    jn_description *d = jn_description_create();
    jn_shape_desc plane = jn_shape_default(JN_SHAPE_PLANE), sphere = jn_shape_default(JN_SHAPE_SPHERE);
    jn_description_add_shape(d, JN_GROUND, &plane);
    jn_body_desc ball = jn_body_default("ball");
    ball.mass = mass;
    ball.com = jn_vec3{0, 0, radius};
    ball.inertia.xx = ball.inertia.yy = ball.inertia.zz = 0.4 * mass * radius * radius;
    const int body = jn_description_add_body(d, &ball);
    sphere.size.x = radius;
    sphere.at = ball.com;
    jn_description_add_shape(d, body, &sphere);
    const jn_contact_desc floor = jn_contact_default("floor");
    jn_description_add_contact(d, &floor);
    d->gravity = jn_vec3{0, 0, -gravity};
    d->run.method = JN_METHOD_NONSMOOTH;
    d->run.step = 1e-3;
    jn_model *model = jn_model_compile(d, report);
    jn_description_free(d);
    return model;
}

int wrong(const char *what, double found, double expected) {
    if (std::fabs(found - expected) <= 1e-6 * (1 + std::fabs(expected))) return 0;
    std::fprintf(stderr, "%s: %.12g, expected %.12g\n", what, found, expected);
    return 1;
}

double load(const jn_sim *sim) {
    std::vector<jn_contact_view> contacts(static_cast<std::size_t>(jn_sim_contacts(sim, nullptr, 0)));
    jn_sim_contacts(sim, contacts.data(), static_cast<int>(contacts.size()));
    double sum = 0;
    for (const jn_contact_view &c : contacts) sum += std::fabs(c.force.z);
    return sum;
}

} // namespace

int main() {
    jn_report report = {};
    std::unique_ptr<jn_model, decltype(&jn_model_free)> model(make_ball(&report), jn_model_free);
    if (!model) return std::fprintf(stderr, "%s\n", report.item[0].text), 1;
    std::unique_ptr<jn_sim, decltype(&jn_sim_free)> sim(jn_sim_create(model.get(), &report), jn_sim_free);
    if (!sim) return std::fprintf(stderr, "%s\n", report.item[0].text), 1;
    const int ball = jn_model_find_body(model.get(), "ball");
    int failed = 0;

    const std::string version = std::to_string(JN_VERSION_MAJOR) + "." + std::to_string(JN_VERSION_MINOR) + "." +
                                std::to_string(JN_VERSION_PATCH);
    if (version != jn_version())
        failed += std::fprintf(stderr, "headers %s, library %s\n", version.c_str(), jn_version()) > 0;

    failed += jn_sim_advance(sim.get(), 0.1) != JN_OK;
    failed += wrong("load at rest [N]", load(sim.get()), mass * gravity);
    std::unique_ptr<jn_state, decltype(&jn_state_free)> kept(jn_state_create(model.get()), jn_state_free);
    jn_state_copy(kept.get(), jn_sim_state(sim.get()));

    failed += jn_sim_push(sim.get(), ball, jn_vec3{0, 0, 0}, jn_vec3{0, 0, -5}, jn_vec3{0, 0, 0}) != JN_OK;
    failed += jn_sim_advance(sim.get(), 0.2) != JN_OK;
    failed += wrong("load under a push [N]", load(sim.get()), mass * gravity + 5);

    jn_state_copy(jn_sim_state(sim.get()), kept.get());
    jn_sim_restart(sim.get());
    failed += wrong("time set back [s]", jn_sim_state(sim.get())->t, 0.1);

    const char *const wanted[] = {"energy.kinetic", "body.ball.z"};
    std::unique_ptr<jn_channels, decltype(&jn_channels_free)> channels(
        jn_channels_create(model.get(), wanted, 2, &report), jn_channels_free);
    double values[2] = {NAN, NAN};
    failed += !channels || jn_channels_read(channels.get(), sim.get(), values) != JN_OK;
    failed += wrong("kinetic energy [J]", values[0], 0);
    failed += wrong("height [m]", values[1], radius);
    std::printf("C++ with jounce %s: %d failed\n", jn_version(), failed);
    return failed != 0;
}
