// File descriptors: how many there are, and what they are kept for.
#pragma once

#include <cstddef>
#include <string>

#include "server/options/config.h"

namespace holdfast::server {

struct DescriptorPlan {
  std::size_t limit = 0;  // that the process may have open
  std::size_t kept =
      0;  // for the store, and for what the server opens itself: no client ever gets one of these
  std::size_t connections = 0;  // how many clients there may be at a time: at most max-connections

  // "1024 file descriptors, 593 of them kept for the store and the server itself: 423 connections"
  std::string text() const;
};

// Raises the soft limit of this process to its hard one, if it may. The usual soft limit of 1024 is for
// programs that use select().
void raise_descriptor_limit();
// The soft limit.
std::size_t descriptor_limit();

// A store that cannot open its next file stops the engine, so that strangers who connect must not be able to
// take the last descriptors: a quarter of all are the store's, and not less than 512 of them, unless that
// were more than a half.
DescriptorPlan plan_descriptors(const Config& config, std::size_t limit);

// What is configured, with the connections that there are descriptors for.
ServerLimits limits_within(const DescriptorPlan& plan, ServerLimits limits);

}  // namespace holdfast::server
