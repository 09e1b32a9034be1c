// Bounds the address space that malloc sets aside.
#pragma once

namespace holdfast::server {

// If the address space of the process is limited (ulimit -v), bounds malloc's arenas so that they take at
// most an eighth of it. glibc sets 64 MiB aside for each arena, up to eight of them for each core, which
// would use up a small limit before there is any load. Must be called before the first thread is made.
void fit_address_space();

}  // namespace holdfast::server
