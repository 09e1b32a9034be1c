# Debian packages with CPack: tools/package.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "Holdfast maintainers <maintainers@holdfast.example>")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL programs development)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)

set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME holdfast)
set(CPACK_COMPONENT_PROGRAMS_DESCRIPTION "Persistent message queue server with first-class dead letters
 The server holdfastd, and the command holdfast that talks to it.")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SHLIBDEPS ON)

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libholdfast-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Persistent message queue engine and client, to build with
 Static libraries, headers, and what CMake and pkg-config need.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "librocksdb-dev, libssl-dev, libzstd-dev, libexpected-dev, libspdlog-dev, libcapnp-dev, \
libboost-dev (>= 1.81) | libboost1.81-dev")

include(CPack)
