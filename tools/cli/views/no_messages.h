// Says why a queue hands out nothing.
#pragma once

#include <string>
#include <string_view>

#include "holdfast/broker.h"

namespace holdfast::command {

// Returns a text for people: "no messages: deliveries are paused", "no messages: 2 are leased, ...".
std::string no_messages(Broker& broker, std::string_view queue);

}  // namespace holdfast::command
