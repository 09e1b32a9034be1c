// Stack traces, of any language: which end of one says where it happened.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast {

// Whether its first frame is the innermost one, as Java, JavaScript (of every browser), C#, Go, Ruby, Rust,
// gdb and Boost print them. Python prints the innermost last; so does a format that is not known here, for
// what it is worth.
bool is_innermost_first(std::string_view stack_trace);

// The innermost limits::kStackTraceFrames lines of it, in at most so many bytes (at least 64). Where lines or
// bytes were cut stands a line that says so; one that was cut before keeps what it says. Where the innermost
// frame is the first, each nested error ("Caused by: ...") keeps its heading and the beginning of its frames.
std::string bounded_stack_trace(std::string_view stack_trace, std::size_t limit);

// The innermost frames, at most so many lines: neither the mark of a cut nor the message before the frames.
std::string_view innermost_frames(std::string_view stack_trace, std::size_t frames);

}  // namespace holdfast
