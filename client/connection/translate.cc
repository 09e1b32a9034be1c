#include "client/connection/translate.h"

namespace holdfast::client {

std::string description_of(const kj::Exception& exception) {
  const auto text = exception.getDescription();
  return {text.begin(), text.size()};
}

Error to_error(const kj::Exception& exception) {
  switch (exception.getType()) {
    case kj::Exception::Type::OVERLOADED:
      return {ErrorCode::kOverloaded, description_of(exception)};
    case kj::Exception::Type::UNIMPLEMENTED:
      return {ErrorCode::kUnavailable, "the server does not have this call"};
    case kj::Exception::Type::DISCONNECTED:
    case kj::Exception::Type::FAILED:
      break;
  }
  return {ErrorCode::kInternal, description_of(exception)};
}

}  // namespace holdfast::client
