// What a lock protects and what a function requires of its caller, said so that a compiler checks it: clang's
// thread safety analysis, which the lint build turns into errors (tools/test --lint). GCC knows none of it,
// and sees nothing.
//
// A class of which several locks could be meant names the lock by the expression that its user writes: a
// function that HOLDFAST_REQUIRES(queue.mutex) is called where `queue.mutex` is known to be held. Where the
// analysis cannot follow how a lock came to be held (a set of queues that are locked in a loop), the code
// says so by assert_held().
//
// The meaning of each attribute: https://clang.llvm.org/docs/ThreadSafetyAnalysis.html
#pragma once

#if defined(__clang__)
#define HOLDFAST_THREAD_SAFETY(attribute) __attribute__((attribute))
#else
#define HOLDFAST_THREAD_SAFETY(attribute)
#endif

// Of a type: it is a lock; it holds one from its construction to its end.
#define HOLDFAST_CAPABILITY(name) HOLDFAST_THREAD_SAFETY(capability(name))
#define HOLDFAST_SCOPED_CAPABILITY HOLDFAST_THREAD_SAFETY(scoped_lockable)

// Of a field: it is read and written with the lock held.
#define HOLDFAST_GUARDED_BY(lock) HOLDFAST_THREAD_SAFETY(guarded_by(lock))

// Of a function: its caller holds the lock, alone or shared.
#define HOLDFAST_REQUIRES(...) HOLDFAST_THREAD_SAFETY(requires_capability(__VA_ARGS__))
#define HOLDFAST_REQUIRES_SHARED(...) HOLDFAST_THREAD_SAFETY(requires_shared_capability(__VA_ARGS__))

// Of a function: it takes the lock, or lets it go.
#define HOLDFAST_ACQUIRE(...) HOLDFAST_THREAD_SAFETY(acquire_capability(__VA_ARGS__))
#define HOLDFAST_ACQUIRE_SHARED(...) HOLDFAST_THREAD_SAFETY(acquire_shared_capability(__VA_ARGS__))
#define HOLDFAST_TRY_ACQUIRE(...) HOLDFAST_THREAD_SAFETY(try_acquire_capability(__VA_ARGS__))
#define HOLDFAST_TRY_ACQUIRE_SHARED(...) HOLDFAST_THREAD_SAFETY(try_acquire_shared_capability(__VA_ARGS__))
#define HOLDFAST_RELEASE(...) HOLDFAST_THREAD_SAFETY(release_capability(__VA_ARGS__))
#define HOLDFAST_RELEASE_SHARED(...) HOLDFAST_THREAD_SAFETY(release_shared_capability(__VA_ARGS__))
#define HOLDFAST_RELEASE_GENERIC(...) HOLDFAST_THREAD_SAFETY(release_generic_capability(__VA_ARGS__))

// Of a function: after it the lock is known to be held; it gives a reference to the lock.
#define HOLDFAST_ASSERT_HELD(lock) HOLDFAST_THREAD_SAFETY(assert_capability(lock))
#define HOLDFAST_ASSERT_SHARED(lock) HOLDFAST_THREAD_SAFETY(assert_shared_capability(lock))
#define HOLDFAST_RETURNS_LOCK(lock) HOLDFAST_THREAD_SAFETY(lock_returned(lock))

// Of a function whose locks the analysis cannot follow; a comment there says why it is right.
#define HOLDFAST_NOT_ANALYSED HOLDFAST_THREAD_SAFETY(no_thread_safety_analysis)
