/* The slider-crank with clearance of models/flores2010 in Siconos: its Moreau-Jean scheme (theta 1/2, Newton to 1e-10) and its
 * enumeration of planar contact problems, at the step and with the tolerances of its own tutorial. Coordinates are the three
 * angles; every corner of the slider is one interaction.
 *
 *     siconos_slider_crank [REFERENCE.dat.gz]
 *
 * prints, on one line each: us per step (processor time, best of some runs); t and the final state; and, with a reference, the
 * largest difference of the first 3000 steps from its columns 2 to 6. */
#include <SiconosKernel.hpp>
#include <SolverOptions.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <vector>

namespace {

const double l1 = 0.153, l2 = 0.306, a = 0.05, b = 0.025, clearance = 0.001;
const double m1 = 0.038, m2 = 0.038, m3 = 0.076, J1 = 7.4e-5, J2 = 5.9e-4, J3 = 2.7e-6, g = 9.81;
const double coupling = (m2 / 2 + m3) * l1 * l2, weight1 = (m1 / 2 + m2 + m3) * g * l1,
             weight2 = (m2 / 2 + m3) * g * l2;
const double step = 1e-5, until = 0.2;
const int steps = 20000, runs = 3, compared = 3000;

/* M v' + gyroscopic + weight = sum of contact forces; matrices by columns. */
void mass(unsigned, double *q, double *M, unsigned, double *) {
    M[0] = J1 + (m1 / 4 + m2 + m3) * l1 * l1, M[4] = J2 + (m2 / 4 + m3) * l2 * l2, M[8] = J3;
    M[1] = M[3] = coupling * cos(q[1] - q[0]);
    M[2] = M[5] = M[6] = M[7] = 0;
}

void gyroscopic(unsigned, double *q, double *v, double *f, unsigned, double *) {
    double s = coupling * sin(q[0] - q[1]);
    f[0] = s * v[1] * v[1], f[1] = -s * v[0] * v[0], f[2] = 0;
}

void gyroscopic_q(unsigned, double *q, double *v, double *D, unsigned, double *) {
    double c = coupling * cos(q[0] - q[1]);
    std::fill(D, D + 9, 0.0);
    D[0] = c * v[1] * v[1], D[1] = -c * v[0] * v[0], D[3] = -D[0], D[4] = -D[1];
}

void gyroscopic_v(unsigned, double *q, double *v, double *D, unsigned, double *) {
    double s = coupling * sin(q[0] - q[1]);
    std::fill(D, D + 9, 0.0);
    D[1] = -2 * s * v[0], D[3] = 2 * s * v[1];
}

void weight(double, unsigned, double *q, double *, double *f, unsigned, double *) {
    f[0] = weight1 * cos(q[0]), f[1] = weight2 * cos(q[1]), f[2] = 0;
}

void weight_q(double, unsigned, double *q, double *, double *D, unsigned, double *) {
    std::fill(D, D + 9, 0.0);
    D[0] = -weight1 * sin(q[0]), D[4] = -weight2 * sin(q[1]);
}

void weight_v(double, unsigned, double *, double *, double *D, unsigned, double *) { std::fill(D, D + 9, 0.0); }

/* Corner (right, up) of the slider against the wall above (up = 1) or below (up = -1): gap and place along the wall. */
struct Corner : LagrangianScleronomousR {
    double right, up;

    Corner(double right_, double up_) : right(right_), up(up_) {}

    void computeh(const BlockVector &q, BlockVector &, SiconosVector &y) override {
        double s = sin(q(2)), c = cos(q(2));
        y(0) = b + clearance - up * (l1 * sin(q(0)) + l2 * sin(q(1)) + right * a * s + up * b * c);
        y(1) = l1 * cos(q(0)) + l2 * cos(q(1)) + right * a * c - up * b * s;
    }

    void computeJachq(const BlockVector &q, BlockVector &) override {
        double s = sin(q(2)), c = cos(q(2));
        double *W = _jachq->getArray();
        W[0] = -up * l1 * cos(q(0)), W[1] = -l1 * sin(q(0));
        W[2] = -up * l2 * cos(q(1)), W[3] = -l2 * sin(q(1));
        W[4] = -up * right * a * c + b * s, W[5] = -right * a * s - up * b * c;
    }
};

struct Run {
    double us;
    std::vector<double> states; /* (steps x 6) q, v */
};

Run simulate() {
    SP::SiconosVector q0(new SiconosVector(3)), v0(new SiconosVector(3));
    (*v0)(0) = 150, (*v0)(1) = -75, (*v0)(2) = -0.01;
    SP::LagrangianDS slider(new LagrangianDS(q0, v0));
    slider->setComputeMassFunction(mass);
    slider->setComputeFGyrFunction(gyroscopic);
    slider->setComputeJacobianFGyrqFunction(gyroscopic_q);
    slider->setComputeJacobianFGyrqDotFunction(gyroscopic_v);
    slider->setComputeFIntFunction(weight);
    slider->setComputeJacobianFIntqFunction(weight_q);
    slider->setComputeJacobianFIntqDotFunction(weight_v);

    SP::NonSmoothDynamicalSystem system(new NonSmoothDynamicalSystem(0, until));
    system->insertDynamicalSystem(slider);
    SP::NonSmoothLaw law(new NewtonImpactFrictionNSL(0.4, 0.0, 0.01, 2));
    for (int k = 0; k < 4; k++) {
        SP::Relation corner(new Corner(k % 2 ? 1 : -1, k < 2 ? 1 : -1));
        system->link(SP::Interaction(new Interaction(law, corner)), slider);
    }

    SP::OneStepNSProblem contacts(new FrictionContact(2, SICONOS_FRICTION_2D_ENUM));
    contacts->numericsSolverOptions()->dparam[SICONOS_DPARAM_TOL] = 1e-12;
    SP::TimeStepping scheme(new TimeStepping(system, SP::TimeDiscretisation(new TimeDiscretisation(0, step)),
                                             SP::OneStepIntegrator(new MoreauJeanOSI(0.5)), contacts));
    scheme->setNewtonTolerance(1e-10);
    scheme->setNewtonMaxIteration(200);

    Run run;
    run.states.resize(6 * steps);
    SP::SiconosVector q = slider->q(), v = slider->velocity();
    std::clock_t begin = std::clock();
    for (int k = 0; k < steps && scheme->hasNextEvent(); k++) {
        scheme->advanceToEvent();
        for (int i = 0; i < 3; i++) run.states[6 * k + i] = (*q)(i), run.states[6 * k + 3 + i] = (*v)(i);
        scheme->processEvents();
    }
    run.us = 1e6 * double(std::clock() - begin) / CLOCKS_PER_SEC / steps;
    return run;
}

/* Columns of the reference: t, q0 / (2 pi), q1, q2, v0, v1, v2, ... Infinite where it cannot be read. */
double difference(const char *path, const std::vector<double> &states) {
    std::FILE *file = popen(("gzip -dc '" + std::string(path) + "'").c_str(), "r");
    double most = 0, x[7];
    char rest[2048];
    for (int k = 0; file && k <= compared; k++) {
        for (double &value : x)
            if (std::fscanf(file, "%lf", &value) != 1) most = INFINITY;
        if (!std::fgets(rest, sizeof rest, file)) most = INFINITY;
        x[1] *= 2 * M_PI;
        for (int i = 0; k > 0 && i < 6; i++) most = std::fmax(most, std::fabs(x[i + 1] - states[6 * (k - 1) + i]));
    }
    if (file) pclose(file);
    return file ? most : INFINITY;
}

} // namespace

int main(int argc, char **argv) {
    double best = INFINITY;
    Run run;
    for (int k = 0; k < runs; k++) run = simulate(), best = std::fmin(best, run.us);
    const double *s = &run.states[6 * (steps - 1)];
    std::printf("%.6g us per step\n", best);
    std::printf("%g %.17g %.17g %.17g %.17g %.17g %.17g\n", until, s[0], s[1], s[2], s[3], s[4], s[5]);
    if (argc > 1) std::printf("%.3e from the reference\n", difference(argv[1], run.states));
    return 0;
}
