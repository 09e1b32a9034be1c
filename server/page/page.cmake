# The dashboard, put into a source file: sets page_sources. Its packages are those that tools/setup has brought; a
# build brings nothing.
find_program(HOLDFAST_NODE node)
set(page_dir ${CMAKE_CURRENT_LIST_DIR})
if(HOLDFAST_NODE AND EXISTS ${page_dir}/node_modules/esbuild/package.json)
  set(page_sources ${PROJECT_BINARY_DIR}/generated/server/page/files.cc)
  file(GLOB_RECURSE page_inputs CONFIGURE_DEPENDS ${page_dir}/*.ts ${page_dir}/*.tsx ${page_dir}/*.css
       ${page_dir}/*.html ${page_dir}/*.svg)
  list(FILTER page_inputs EXCLUDE REGEX "/node_modules/")
  add_custom_command(
    OUTPUT ${page_sources}
    COMMAND ${HOLDFAST_NODE} ${page_dir}/build.mjs ${page_sources}
    DEPENDS ${page_inputs} ${page_dir}/build.mjs ${page_dir}/package-lock.json
    COMMENT "Bundling the dashboard" VERBATIM)
else()
  set(page_sources ${page_dir}/no_files.cc)
  message(STATUS "Without the dashboard: it needs node and server/page/node_modules, which tools/setup brings")
endif()
