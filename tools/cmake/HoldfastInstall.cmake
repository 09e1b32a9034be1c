# `cmake --install`: libraries, headers, CMake package, pkg-config files, protocol; programs with their manual
# pages, documents and systemd unit.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(HOLDFAST_PROGRAMS holdfast holdfastd holdfast-token)

# The help texts and docs/errors.md are the source of the manual pages.
find_program(HOLDFAST_HELP2MAN help2man REQUIRED)
add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/man/made
  COMMAND ${CMAKE_SOURCE_DIR}/tools/manual ${CMAKE_BINARY_DIR}/bin ${CMAKE_BINARY_DIR}/man
  DEPENDS ${HOLDFAST_PROGRAMS} ${CMAKE_SOURCE_DIR}/tools/manual ${CMAKE_SOURCE_DIR}/docs/errors.md
  COMMENT "Making the manual pages")

# All that is installed, and nothing else. Programs with sanitizers are not installed, and slow to ask for their help.
if(NOT HOLDFAST_SANITIZE)
  set(HOLDFAST_IN_ALL ALL)
endif()
add_custom_target(products ${HOLDFAST_IN_ALL}
  DEPENDS ${CMAKE_BINARY_DIR}/man/made holdfast_base holdfast_archive holdfast_engine holdfast_client holdfast_schema
          holdfast_protocol holdfast_transport holdfast_worker holdfast_http)

install(TARGETS ${HOLDFAST_PROGRAMS} COMPONENT programs)
install(FILES server/package/holdfastd.service DESTINATION lib/systemd/system COMPONENT programs)
# Each document is where the links of the others look for it.
install(FILES README.md CHANGELOG.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT programs)
install(FILES bench/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/bench COMPONENT programs)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT programs FILES_MATCHING PATTERN "*.md" PATTERN "*.png")
install(FILES tools/monitoring/holdfast.rules.yml tools/monitoring/holdfast-dashboard.json
        DESTINATION ${CMAKE_INSTALL_DATADIR}/holdfast/monitoring COMPONENT programs)
install(FILES tools/cli/completion/holdfast.bash RENAME holdfast
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT programs)
install(FILES tools/cli/completion/holdfast.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT programs)
# zsh looks into the first below /usr/local, and Debian's into the second below /usr.
foreach(directory site-functions vendor-completions)
  install(FILES tools/cli/completion/_holdfast DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${directory}
          COMPONENT programs)
endforeach()
install(DIRECTORY ${CMAKE_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT programs
        FILES_MATCHING PATTERN "*.1.gz")
install(DIRECTORY ${CMAKE_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man8 COMPONENT programs
        FILES_MATCHING PATTERN "*.8.gz")

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)

set(HOLDFAST_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/holdfast)

# Libraries that only others of ours link: their headers stay here.
get_target_property(directories holdfast_protocol INTERFACE_INCLUDE_DIRECTORIES)
list(TRANSFORM directories REPLACE "^/.*" "$<BUILD_INTERFACE:\\0>")
set_target_properties(holdfast_protocol PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${directories}"
                                                   INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "")
foreach(target holdfast_protocol holdfast_schema holdfast_transport)
  string(REPLACE holdfast_ "" name ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
endforeach()

# One set a component, so that who embeds the engine needs no Cap'n Proto and a client's build no RocksDB.
install(TARGETS holdfast_base holdfast_archive EXPORT holdfast-base)
install(TARGETS holdfast_engine EXPORT holdfast-engine)
install(TARGETS holdfast_client holdfast_schema holdfast_protocol holdfast_transport EXPORT holdfast-client)
install(TARGETS holdfast_worker holdfast_http EXPORT holdfast-worker)
foreach(component base engine client worker)
  install(EXPORT holdfast-${component} NAMESPACE holdfast:: DESTINATION ${HOLDFAST_CMAKE_DIR})
endforeach()

install(DIRECTORY engine/include/holdfast client/include/holdfast client/worker/include/holdfast DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
file(GLOB schemas CONFIGURE_DEPENDS schema/*.capnp)
install(FILES ${schemas} DESTINATION ${CMAKE_INSTALL_DATADIR}/holdfast/schema)

configure_file(tools/cmake/holdfast-config.cmake.in holdfast-config.cmake @ONLY)
write_basic_package_version_file(holdfast-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/holdfast-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/holdfast-config-version.cmake
        DESTINATION ${HOLDFAST_CMAKE_DIR})

# The package can be moved: its files find their prefix from where they are.
file(RELATIVE_PATH HOLDFAST_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
foreach(component engine client worker)
  configure_file(tools/cmake/holdfast-${component}.pc.in holdfast-${component}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/holdfast-${component}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
