/* Chooses the solver of the equations with constraints, whatever the number of rows; for measurements only. */
#ifndef JN_BENCH_FORCE_KKT_H
#define JN_BENCH_FORCE_KKT_H

#include "model/model_layout.h"

/* Before any work space of the model is made. JN_OK or a negative status. */
int bench_force_kkt(jn_model *m, bool sparse);

#endif
