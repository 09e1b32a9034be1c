// Converts policies for dead letters between the API and the protocol: what queues do about dead letters by
// themselves.
#pragma once

#include <vector>

#include "holdfast/policy.h"
#include "holdfast/wire/policy.capnp.h"

namespace holdfast::convert {

void write(const AutoRedrive& from, wire::AutoRedrive::Builder to);
// Reads at most one category more than a policy may have, so that a policy with too many is refused.
AutoRedrive read(wire::AutoRedrive::Reader from);

void write(const FloodBrake& from, wire::FloodBrake::Builder to);
FloodBrake read(wire::FloodBrake::Reader from);

void write(const AlertRules& from, wire::AlertRules::Builder to);
AlertRules read(wire::AlertRules::Reader from);

void write(const std::vector<Alert>& from, capnp::List<wire::Alert>::Builder to);
std::vector<Alert> read(capnp::List<wire::Alert>::Reader from);

}  // namespace holdfast::convert
