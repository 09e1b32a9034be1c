// Decides which queues a simulation has.
#pragma once

#include "tests/simulation/run/recovery.h"
#include "tests/simulation/run/run.h"

namespace holdfast::simulation {

// Draws the queues of the run, and creates them.
void declare_queues(Run& run, Recovery& recovery);

}  // namespace holdfast::simulation
