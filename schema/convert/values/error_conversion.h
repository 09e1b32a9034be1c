// Converts errors in replies: errors of a whole call, and of the entries of a batch.
//
// In all of convert/, `write` fills a message. `read` checks everything that a peer may have got wrong, and
// its errors name the field. Cap'n Proto throws if a message's pointers are malformed, or if a text is too
// long for a message; callers stand where KJ's exceptions are translated. No field is read twice, since that
// would count twice against the traversal limit.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "holdfast/error.h"
#include "holdfast/wire/error.capnp.h"
#include "schema/convert/values/list.h"

namespace holdfast::convert {

void write(const Error& from, wire::Error::Builder to);

// Reads an error. A code that this version does not know becomes kInternal.
Error read(wire::Error::Reader from);

// Makes kInternal of an error in a reply: a reply that makes no sense is the server's fault, whatever the
// check of the field says.
Error as_server_fault(const Error& error);

// Returns how many entries of a batch failed. `T` is what a good entry returns.
template <class T>
unsigned count_failed(const std::vector<Result<T>>& results) {
  unsigned failed = 0;
  for (const auto& result : results) failed += result ? 0 : 1;
  return failed;
}

// Writes the errors of the entries that failed. Requires that `to` has room for count_failed(results).
template <class T>
void write_failed(const std::vector<Result<T>>& results, capnp::List<wire::FailedEntry>::Builder to) {
  unsigned next = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i]) continue;
    auto entry = to[next++];
    entry.setIndex(static_cast<std::uint32_t>(i));
    write(results[i].error(), entry.initError());
  }
}

// Puts the errors into `results`, which has as many good entries as the request.
template <class T>
Result<void> read_failed(capnp::List<wire::FailedEntry>::Reader from, std::vector<Result<T>>& results) {
  for (auto entry : at_most(results.size(), from)) {
    if (entry.getIndex() >= results.size()) {
      return fail(ErrorCode::kInternal, "failed.index: the server answers for entry " +
                                            std::to_string(entry.getIndex()) + " of " +
                                            std::to_string(results.size()));
    }
    results[entry.getIndex()] = tl::unexpected(read(entry.getError()));
  }
  return {};
}

}  // namespace holdfast::convert
