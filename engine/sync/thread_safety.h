// Says what a lock protects and what a function requires of its caller, so that a compiler checks it. The
// check is clang's thread safety analysis, which the lint build turns into errors (tools/test --lint). For
// GCC these macros are empty.
//
// A class for which several locks could be meant names the lock by the expression that its user writes: a
// function that HOLDFAST_REQUIRES(queue.mutex) is called where `queue.mutex` is known to be held. Where the
// analysis cannot follow how a lock came to be held, as with a set of queues that are locked in a loop, the
// code calls assert_held(), which also checks it.
//
// The meaning of each attribute: https://clang.llvm.org/docs/ThreadSafetyAnalysis.html
#pragma once

#if defined(__clang__)
#define HOLDFAST_THREAD_SAFETY(attribute) __attribute__((attribute))
#else
#define HOLDFAST_THREAD_SAFETY(attribute)
#endif

// On a type: it is a lock, or it holds one from its construction to its end.
#define HOLDFAST_CAPABILITY(name) HOLDFAST_THREAD_SAFETY(capability(name))
#define HOLDFAST_SCOPED_CAPABILITY HOLDFAST_THREAD_SAFETY(scoped_lockable)

// On a field: it is read and written with the lock held.
#define HOLDFAST_GUARDED_BY(lock) HOLDFAST_THREAD_SAFETY(guarded_by(lock))

// On a function: its caller holds the lock, exclusively or shared.
#define HOLDFAST_REQUIRES(...) HOLDFAST_THREAD_SAFETY(requires_capability(__VA_ARGS__))
#define HOLDFAST_REQUIRES_SHARED(...) HOLDFAST_THREAD_SAFETY(requires_shared_capability(__VA_ARGS__))

// On a function: its caller does not hold the lock. The function takes the lock itself, or one that comes
// before it in the order of locks, or does what nobody may do who holds it.
#define HOLDFAST_EXCLUDES(...) HOLDFAST_THREAD_SAFETY(locks_excluded(__VA_ARGS__))

// On a function: it takes the lock, or lets it go.
#define HOLDFAST_ACQUIRE(...) HOLDFAST_THREAD_SAFETY(acquire_capability(__VA_ARGS__))
#define HOLDFAST_ACQUIRE_SHARED(...) HOLDFAST_THREAD_SAFETY(acquire_shared_capability(__VA_ARGS__))
#define HOLDFAST_TRY_ACQUIRE(...) HOLDFAST_THREAD_SAFETY(try_acquire_capability(__VA_ARGS__))
#define HOLDFAST_TRY_ACQUIRE_SHARED(...) HOLDFAST_THREAD_SAFETY(try_acquire_shared_capability(__VA_ARGS__))
#define HOLDFAST_RELEASE(...) HOLDFAST_THREAD_SAFETY(release_capability(__VA_ARGS__))
#define HOLDFAST_RELEASE_SHARED(...) HOLDFAST_THREAD_SAFETY(release_shared_capability(__VA_ARGS__))
#define HOLDFAST_RELEASE_GENERIC(...) HOLDFAST_THREAD_SAFETY(release_generic_capability(__VA_ARGS__))

// On a function: after the call the lock is known to be held, or the function returns a reference to the
// lock.
#define HOLDFAST_ASSERT_HELD(lock) HOLDFAST_THREAD_SAFETY(assert_capability(lock))
#define HOLDFAST_ASSERT_SHARED(lock) HOLDFAST_THREAD_SAFETY(assert_shared_capability(lock))
#define HOLDFAST_RETURNS_LOCK(lock) HOLDFAST_THREAD_SAFETY(lock_returned(lock))

// A function with this has locks that the analysis cannot follow. A comment in it says why it is right.
#define HOLDFAST_NOT_ANALYSED HOLDFAST_THREAD_SAFETY(no_thread_safety_analysis)
