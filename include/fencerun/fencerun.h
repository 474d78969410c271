/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_FENCERUN_H
#define FENCERUN_FENCERUN_H

/** Everything, for users of the library. */
#include "fencerun/audit.h"
#include "fencerun/cancel.h"
#include "fencerun/code.h"
#include "fencerun/content.h"
#include "fencerun/doctor.h"
#include "fencerun/error.h"
#include "fencerun/event.h"
#include "fencerun/executor.h"
#include "fencerun/extract.h"
#include "fencerun/guard.h"
#include "fencerun/invocation.h"
#include "fencerun/language.h"
#include "fencerun/memory.h"
#include "fencerun/model.h"
#include "fencerun/postprocess.h"
#include "fencerun/runner.h"
#include "fencerun/sandbox.h"
#include "fencerun/scripted.h"
#include "fencerun/session.h"
#include "fencerun/state.h"
#include "fencerun/str.h"
#include "fencerun/units.h"
#include "fencerun/version.h"

#endif
