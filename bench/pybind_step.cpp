// A stepping function with the shape of MuJoCo's binding (python.rst: built with pybind11, takes model, data and nstep = 1, releases the GIL), which
// steps nothing: what such a call costs by itself. bench_python.py compiles it where pybind11 is installed.
#include <pybind11/pybind11.h>

struct Model {};
struct Data {
    double time = 0;
};

PYBIND11_MODULE(pybind_step, module) {
    namespace py = pybind11;
    py::class_<Model>(module, "Model").def(py::init<>());
    py::class_<Data>(module, "Data").def(py::init<>()).def_readonly("time", &Data::time);
    module.def(
        "step", [](const Model &, Data &data, int nstep) { data.time += nstep; }, py::arg("m"), py::arg("d"),
        py::arg("nstep") = 1, py::call_guard<py::gil_scoped_release>());
}
