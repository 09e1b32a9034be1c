// Sends every package of the index.
#pragma once

#include "holdfast/broker.h"
#include "tools/examples/demo/ledger.h"
#include "tools/examples/demo/packages/package.h"

namespace holdfast::demo {

inline constexpr const char* kQueue = "packages";
inline constexpr const char* kDeadLetterQueue = "packages-dlq";

// Returns whether the error passes by itself once the server is back.
bool is_passing(ErrorCode code);

// Sends the packages in batches, from where an earlier run's ledger says that it stopped. A batch whose
// outcome is unknown is noted and sent again, so its messages may be there twice, under the same key. Returns
// when all packages are accepted, or with an error that does not pass.
Result<void> produce(Broker& broker, const PackageIndex& index, const std::filesystem::path& ledger_file);

}  // namespace holdfast::demo
