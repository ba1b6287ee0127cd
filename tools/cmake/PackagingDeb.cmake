# The fields of the Debian packages, one for each group of components. Included by PackagingLinux.cmake.
set(debian ${packaging}/debian)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_VERSION ${SLUICE_VERSION_DEB})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SOURCE sluice)
if(SLUICE_ARCHITECTURE) # of a cross build. dpkg-shlibdeps finds its libraries there, and asks its database
    set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${SLUICE_ARCHITECTURE})
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${SLUICE_LIBRARIES})
endif()
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
foreach(group sluice tools development python) # the first line of a description is its summary
    string(TOUPPER ${group} upper)
    set(CPACK_DEBIAN_${upper}_DESCRIPTION "${${group}_summary}\n${${group}_description}")
endforeach()

# Debian has another program in a package "sluice", with a higher version: an upgrade of the system would
# replace our package by it. Both programs are /usr/bin/sluice. Our older packages had the name, too.
#
# The libraries that the collector loads (for tls=on, dtls:, http:, kafka:, nats: and sealed datagrams) are
# not in a package's Depends.
set(CPACK_DEBIAN_SLUICE_PACKAGE_NAME sluice-collector)
set(CPACK_DEBIAN_SLUICE_PACKAGE_CONFLICTS sluice)
set(CPACK_DEBIAN_SLUICE_PACKAGE_REPLACES sluice)
set(CPACK_DEBIAN_SLUICE_PACKAGE_SECTION net)
set(CPACK_DEBIAN_SLUICE_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_SLUICE_PACKAGE_DEPENDS "init-system-helpers (>= 1.54~)")
set(CPACK_DEBIAN_SLUICE_PACKAGE_RECOMMENDS
    sluice-tools ${SLUICE_LOADED_PACKAGES} logrotate)
list(JOIN CPACK_DEBIAN_SLUICE_PACKAGE_RECOMMENDS ", " CPACK_DEBIAN_SLUICE_PACKAGE_RECOMMENDS)
set(CPACK_DEBIAN_SLUICE_PACKAGE_SUGGESTS protobuf-compiler)
set(CPACK_DEBIAN_SLUICE_PACKAGE_CONTROL_EXTRA ${debian}/sluice-collector/conffiles ${debian}/sluice-collector/postinst
    ${debian}/sluice-collector/postrm ${debian}/sluice-collector/prerm)

set(moved "sluice (<< ${sluice_split_version})")
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME sluice-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION net)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS libsodium23) # for sealed datagrams
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "sluice-collector, protobuf-compiler")
set(CPACK_DEBIAN_TOOLS_PACKAGE_BREAKS "${moved}")
set(CPACK_DEBIAN_TOOLS_PACKAGE_REPLACES "${moved}")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libsluice-client-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libc6-dev | libc-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS libsodium-dev) # to link with libsluice-seal
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "pkg-config, sluice-collector")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_BREAKS "${moved}")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_REPLACES "${moved}")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-sluice-client)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3:any (>= 3.9)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS python3-nacl) # to encrypt
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS sluice-collector)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${debian}/python3-sluice-client/postinst
    ${debian}/python3-sluice-client/prerm)
