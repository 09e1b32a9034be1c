// KJ's exceptions, as Holdfast's errors: the one place where they meet.
#pragma once

#include <kj/exception.h>

#include <string>

#include "holdfast/error.h"

namespace holdfast::client {

// In one line, without source positions.
std::string description_of(const kj::Exception& exception);

// Of a call that the server answered with an exception, or whose request or answer does not fit a message.
Error to_error(const kj::Exception& exception);

}  // namespace holdfast::client
