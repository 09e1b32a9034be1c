// This file sets up jemalloc, which holdfastd allocates with.
//
// jemalloc 5.3 dereferences a null pointer if it has no memory for a new arena, and arenas are made while the
// server runs: one when a thread first allocates. With a single arena there is nothing left to make after the
// start, so that a server without memory still ends by saying so. Threads rarely meet in the arena, since
// each has a cache of its own. MALLOC_CONF in the environment overrides what stands here.

// jemalloc reads the variable by this name before main() runs: see "malloc_conf" in its manual, jemalloc(3).
// NOLINTNEXTLINE(readability-identifier-naming,cppcoreguidelines-avoid-non-const-global-variables)
extern "C" const char* malloc_conf;
const char* malloc_conf = "narenas:1";
