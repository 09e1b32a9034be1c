// Works with stack traces of any language.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast {

// Returns whether the first frame is the innermost one, as in the stack traces of Java, JavaScript (of every
// browser), C#, Go, Ruby, Rust, gdb and Boost. Python prints the innermost frame last. An unknown format
// counts as one that prints the innermost frame last.
bool is_innermost_first(std::string_view stack_trace);

// Returns the innermost limits::kStackTraceFrames lines of the stack trace, in at most `limit` bytes (at
// least 64). A line says where lines or bytes were cut; a trace that was cut before keeps that line. If the
// innermost frame is the first, each nested error ("Caused by: ...") keeps its heading and the beginning of
// its frames.
std::string bounded_stack_trace(std::string_view stack_trace, std::size_t limit);

// Returns the innermost frames, at most so many lines, without the mark of a cut and the message before the
// frames.
std::string_view innermost_frames(std::string_view stack_trace, std::size_t frames);

}  // namespace holdfast
