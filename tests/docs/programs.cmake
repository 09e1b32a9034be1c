# The programs of the documents; run.py adds a line for each.
cmake_minimum_required(VERSION 3.25)
project(holdfast_documents LANGUAGES CXX)
find_package(holdfast REQUIRED)
find_package(Boost REQUIRED)

function(add_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE holdfast::engine holdfast::client holdfast::worker Boost::headers)
  target_compile_options(${name} PRIVATE -O0 -Wall -Wextra -Werror)
endfunction()
