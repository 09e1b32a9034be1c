// Translates KJ's exceptions into Holdfast's errors. No other place does.
#pragma once

#include <kj/exception.h>

#include <string>

#include "holdfast/error.h"

namespace holdfast::client {

// Describes an exception in one line, without source positions.
std::string description_of(const kj::Exception& exception);

// Makes the error of a call that the server answered with an exception, or whose request or answer does not
// fit into a message.
Error to_error(const kj::Exception& exception);

}  // namespace holdfast::client
