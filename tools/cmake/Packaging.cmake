# Installation, and packages (CPack), as far as they are the same on all systems. The component "sluice" has
# the collector, documents and examples, "tools" the other programs (on Windows "sluice" has all).
# PackagingLinux.cmake and PackagingWindows.cmake add the rest.
if(WIN32) # all in one folder
    set(CMAKE_INSTALL_BINDIR .)
    set(CMAKE_INSTALL_DOCDIR doc)
endif()
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME sluice)
set(packaging ${PROJECT_SOURCE_DIR}/tools/packaging)
set(manual ${PROJECT_BINARY_DIR}/tools/manual/made)

set(tools ${programs})
list(REMOVE_ITEM tools sluice)
set(tools_component COMPONENT tools)
if(WIN32)
    set(tools_component COMPONENT sluice)
endif()
install(TARGETS sluice)
install(TARGETS ${tools} ${tools_component})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Documents for users keep their folders, so that the links between them work.
foreach(document README.md proto/README.md sinks/README.md tools/README.md tools/NEWS.md
        tools/manual/sluice.1.md tools/manual/sluice.yaml.5.md tools/manual/sluice-client.3.md
        tools/manual/sluice-decode.1.md tools/manual/sluice-replay.1.md tools/manual/sluice-send.1.md
        tools/manual/sluice-top.1.md tools/client/README.md proto/riemann.proto proto/telemetry.proto tools/packaging/README.md
        tools/packaging/fleet.md tools/packaging/distributions.md tools/packaging/repository.md tools/packaging/recipes.md tools/packaging/sealed.md tools/packaging/windows.md tools/comparison/README.md
        tools/comparison/curve.svg tools/comparison/fresh.svg
        tools/packaging/container/README.md tools/packaging/container/compose.yaml
        tools/packaging/container/kubernetes.yaml tools/packaging/container/podmonitor.yaml tools/packaging/container/sluice.yaml)
    cmake_path(GET document PARENT_PATH folder)
    install(FILES ${PROJECT_SOURCE_DIR}/${document}
        DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()

set(examples ${CMAKE_INSTALL_DOCDIR}/examples)
foreach(example README.md capture.yaml cisco-kv.yaml cisco-mdt.yaml command.yaml dead-letters.yaml dnstap.proto
        dnstap.yaml dtls.yaml junos.yaml mdt.proto otlp-to-influx-files.yaml otlp-to-prometheus.yaml own-schema.yaml
        pinba.proto pinba.yaml powerdns.proto riemann-to-stdout.yaml several-listeners.yaml
        weather.proto)
    install(FILES ${packaging}/examples/${example} DESTINATION ${examples})
endforeach()

include(${CMAKE_CURRENT_LIST_DIR}/BillOfMaterials.cmake)

set(CPACK_PACKAGE_NAME sluice)
set(CPACK_PACKAGE_VERSION ${SLUICE_VERSION})
set(CPACK_PACKAGE_VENDOR "The Sluice maintainers")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_STRIP ${CMAKE_STRIP})
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_THREADS 0)

# All components of a format make one package, except in the formats that PackageFormat.cmake changes.
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_BINARY_DIR}/PackageFormat.cmake)

# A package has the time of the commit, unless SOURCE_DATE_EPOCH is set.
configure_file(${PROJECT_SOURCE_DIR}/tools/cmake/PackageFormat.cmake.in
    ${CPACK_PROJECT_CONFIG_FILE} @ONLY)
if(WIN32)
    include(${CMAKE_CURRENT_LIST_DIR}/PackagingWindows.cmake)
else()
    include(${CMAKE_CURRENT_LIST_DIR}/PackagingLinux.cmake)
endif()
include(CPack)
