// The size of the write buffer of engines that many tests open, one after another.
#pragma once

#include <cstddef>

namespace holdfast::testing {

// An engine's ballast is about one and a half times as large. In a file system in memory, the kernel takes
// longer to make and delete the ballast for the default buffer, about 96 MiB, than most tests take for
// everything else.
inline constexpr std::size_t kWriteBufferBytes = 8 << 20;

}  // namespace holdfast::testing
