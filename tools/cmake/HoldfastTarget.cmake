# What every target of this project is built with.
include(GNUInstallDirs)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -fno-omit-frame-pointer")

find_program(HOLDFAST_CCACHE ccache)
if(HOLDFAST_CCACHE)
  # What ccache wants to be told before it keeps what a precompiled header was used for.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${HOLDFAST_CCACHE})
endif()
find_program(HOLDFAST_MOLD mold)
if(HOLDFAST_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Checks of the engine that cost more than what they guard.
add_compile_definitions($<$<CONFIG:Debug>:HOLDFAST_COSTLY_CHECKS>)
if(HOLDFAST_SANITIZE)
  add_compile_definitions(HOLDFAST_COSTLY_CHECKS)
  add_compile_options(-fsanitize=${HOLDFAST_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${HOLDFAST_SANITIZE})
  add_compile_options(-Wno-maybe-uninitialized)  # GCC 12 takes the sanitizers' own checks for uses
  if(HOLDFAST_SANITIZE MATCHES thread)
    add_compile_options(-Wno-tsan)  # GCC's note that tsan does not model atomic_thread_fence
  endif()
endif()

if(HOLDFAST_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# The presets release, asan and tsan compile the files of a target in batches (CMAKE_UNITY_BUILD), since most of a file's
# time goes into its headers. The files of a batch share their anonymous namespaces, so the names in them must differ.
# Sources that use the same names for things of their own are left out by their property SKIP_UNITY_BUILD_INCLUSION.

# All warnings are errors in the project's own code.
function(holdfast_warnings target)
  # A name of one file of a batch may hide one of another file. Where files are compiled alone, as in the presets debug
  # and lint, nothing may be hidden.
  set(batched $<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic $<$<NOT:${batched}>:-Wshadow> -Wconversion
                                           -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast -Werror
                                           $<$<AND:${batched},$<CXX_COMPILER_ID:GNU>>:-Wshadow=local>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # GCC 12 is wrong about these inside the library's strings, and says so once the headers are precompiled. The
    # address sanitizer's tests see what they are for.
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
                                             -Wno-restrict)
  endif()
endfunction()

# A batch includes its files, and GCC takes them for headers, in which it warns of a class that has members of a type of
# an anonymous namespace, as a coroutine or a lambda may be. This function turns the warning off for a target.
function(holdfast_local_types target)
  set(batched $<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>)
  target_compile_options(${target} PRIVATE $<$<AND:${batched},$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>)
endfunction()

# What users run is in one directory, to be put into PATH.
function(holdfast_program target)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endfunction()

# Headers that many files of a target include, parsed once. Files still include what they use: the lint preset
# builds without. Targets with the same compile options share one with target_precompile_headers(... REUSE_FROM).
set(HOLDFAST_STD_HEADERS
    <algorithm> <array> <atomic> <chrono> <condition_variable> <filesystem> <functional> <map> <memory> <mutex>
    <optional> <set> <shared_mutex> <span> <string> <thread> <unordered_map> <variant> <vector> <tl/expected.hpp>)
set(HOLDFAST_RPC_HEADERS ${HOLDFAST_STD_HEADERS} <capnp/capability.h> <capnp/message.h> <kj/async.h>)
