// Errors in replies: of a whole call, and of the entries of a batch.
//
// Throughout convert/: `write` fills a message; `read` checks everything that a peer may have got wrong and
// names the field. Where a message's pointers are malformed, or a text is too long for a message, Cap'n Proto
// throws; callers stand at the edge where KJ's exceptions are translated. No field is read twice: that would
// count twice against the traversal limit.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "holdfast/error.h"
#include "holdfast/wire/error.capnp.h"
#include "schema/convert/values/list.h"

namespace holdfast::convert {

void write(const Error& from, wire::Error::Builder to);

// A code that this version does not know reads as kInternal.
Error read(wire::Error::Reader from);

// A reply that does not make sense is the server's fault, whatever the field's check says: kInternal.
Error as_server_fault(const Error& error);

// The entries of a batch that failed. `T` is what a good entry gives.
template <class T>
unsigned count_failed(const std::vector<Result<T>>& results) {
  unsigned failed = 0;
  for (const auto& result : results) failed += result ? 0 : 1;
  return failed;
}

// `to` has room for count_failed(results).
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

// Puts the errors into `results`, which has the request's entries, all good.
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
