// failure_of() describes an exception as a failure. Its type becomes the code, what() the reason, and the
// exceptions nested in it the causes. The innermost stack trace is taken, since it is where the trouble
// began. What is too long for the limits is cut, so a handler may throw anything.
#include "holdfast/exception_failure.h"

#include <cxxabi.h>

#include <boost/core/demangle.hpp>
#include <optional>
#include <typeinfo>
#include <utility>

#include "engine/base/helpers/bounded_failure.h"

namespace holdfast {
namespace {

// Told is one exception of a chain of nested ones.
struct Told {
  std::string type;
  std::string what;
  std::string stack_trace;
  std::exception_ptr nested;
};

std::exception_ptr nested_in(const std::exception& exception) {
  const auto* nested = dynamic_cast<const std::nested_exception*>(&exception);
  return nested == nullptr ? nullptr : nested->nested_ptr();
}

Told tell(const std::exception_ptr& thrown) {
  const auto current_type = [] {
    const std::type_info* type = abi::__cxa_current_exception_type();
    return type == nullptr ? std::string("unknown") : boost::core::demangle(type->name());
  };
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    Told told{boost::core::demangle(typeid(e).name()), e.what(), {}, nested_in(e)};
    if (const auto* traced = dynamic_cast<const HasStackTrace*>(&e)) told.stack_trace = traced->stack_trace();
    return told;
  } catch (const std::string& text) {
    return {current_type(), text, {}, nullptr};
  } catch (const char* text) {
    return {current_type(), text, {}, nullptr};
  } catch (...) {
    return {current_type(), {}, {}, nullptr};
  }
}

// Returns the name of the type that the caller gave to std::throw_with_nested(), which throws a type of the
// library's own derived from it.
std::string plain_type(const std::string& type) {
  constexpr std::string_view kNested = "std::_Nested_exception<";
  if (!type.starts_with(kNested) || !type.ends_with('>')) return type;
  return type.substr(kNested.size(), type.size() - kNested.size() - 1);
}

}  // namespace

Failure failure_of(const std::exception_ptr& thrown) {
  Failure failure;
  if (!thrown) return failure;
  Told told = tell(thrown);
  failure.code = plain_type(told.type);
  failure.reason = told.what.empty() ? "an exception of type " + failure.code : told.what;
  failure.stack_trace = told.stack_trace;
  while (told.nested) {
    told = tell(told.nested);
    failure.causes.push_back({plain_type(told.type), told.what});
    if (!told.stack_trace.empty()) failure.stack_trace = told.stack_trace;
  }
  return bounded(std::move(failure));
}

}  // namespace holdfast
