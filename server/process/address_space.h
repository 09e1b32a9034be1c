// What of the process's address space malloc sets aside.
#pragma once

namespace holdfast::server {

// Where the address space is limited (ulimit -v), has malloc's arenas take an eighth of it at most. glibc
// sets 64 MiB aside for each, up to eight of them for each core, and what a small limit leaves is then used
// up before there is load. Before the first thread is made.
void fit_address_space();

}  // namespace holdfast::server
