/* The kinds of studies. */
#ifndef JN_WORKFLOW_STUDY_KINDS_H
#define JN_WORKFLOW_STUDY_KINDS_H

#include "workflow/study/study.h"

#endif
