// Why a queue hands out nothing.
#pragma once

#include <string>
#include <string_view>

#include "holdfast/broker.h"

namespace holdfast::command {

// "no messages: deliveries are paused", "no messages: 2 are leased, ...". For people.
std::string no_messages(Broker& broker, std::string_view queue);

}  // namespace holdfast::command
