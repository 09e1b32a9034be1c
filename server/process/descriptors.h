// Plans the use of file descriptors: how many there are, and what they are kept for.
#pragma once

#include <cstddef>
#include <string>

#include "server/options/config.h"

namespace holdfast::server {

struct DescriptorPlan {
  std::size_t limit = 0;  // how many the process may have open
  // This many are kept for the store and for what the server opens itself. No client ever gets one of these.
  std::size_t kept = 0;
  // This many clients may be connected at a time: at most max-connections.
  std::size_t connections = 0;

  // Returns a text such as "1024 file descriptors, 593 of them kept for the store and the server itself: 431
  // connections".
  std::string text() const;
};

// Raises the soft limit of this process to its hard limit, if it may. The usual soft limit of 1024 is for
// programs that use select().
void raise_descriptor_limit();
// Returns the soft limit.
std::size_t descriptor_limit();

// Makes the plan for `limit` descriptors. A store that cannot open its next file stops the engine, so
// strangers who connect must not be able to take the last descriptors. A quarter of all descriptors is kept
// for the store, and at least 512, but never more than a half.
DescriptorPlan plan_descriptors(const Config& config, std::size_t limit);

// Returns the configured limits, with the number of connections that there are descriptors for.
ServerLimits limits_within(const DescriptorPlan& plan, ServerLimits limits);

}  // namespace holdfast::server
