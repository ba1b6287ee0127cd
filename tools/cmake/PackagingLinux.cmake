# Only for Linux: manual, completions, the client libraries, units, and the packages .deb, .rpm and .tar.gz.
# Included by Packaging.cmake. Its components:
#
#   sluice       as in Packaging.cmake, with manual and completions
#   tools        as in Packaging.cmake, with manual and completions
#   development  the client library for C
#   modules      the client library for Python, as files to copy
#   python       the same, in the folder of Debian's Python; only in the .deb
#   system       units and configuration of a machine; only in .deb and .rpm, because they contain /usr
#   examples     the files of "system" as examples: in the .tar.gz, and with "cmake --install"
#   website      the documents as a website; only in the .tar.gz
install(FILES ${packaging}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(SLUICE_STATIC)
    include(${CMAKE_CURRENT_LIST_DIR}/Licences.cmake)
    sluice_find_licences(licences)
    while(licences)
        list(POP_FRONT licences name file)
        install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DOCDIR}/licenses RENAME ${name}.txt)
    endwhile()
endif()

# The folders of man pages and of each shell's completions.
foreach(program ${programs})
    set(component ${tools_component})
    if(program STREQUAL "sluice")
        set(component COMPONENT sluice)
    endif()
    install(FILES ${manual}/man/${program}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 ${component})
    install(FILES ${manual}/bash/${program}
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions ${component})
    install(FILES ${manual}/zsh/_${program}
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions ${component})
    install(FILES ${manual}/fish/${program}.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d ${component})
endforeach()
install(FILES ${manual}/man/sluice.yaml.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
install(FILES ${manual}/schema/sluice.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/sluice)
install(FILES ${packaging}/monitoring/sluice-alerts.yaml ${packaging}/monitoring/sluice-dashboard.json
    DESTINATION ${CMAKE_INSTALL_DATADIR}/sluice/monitoring)

# The client library, as an archive and as source. On every system pkg-config finds files in share/.
set(client ${PROJECT_SOURCE_DIR}/tools/client)
set(development COMPONENT development)
install(TARGETS sluice_client ARCHIVE ${development})
install(FILES ${client}/sluice_client.h ${client}/sluice_seal.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${development})
install(FILES ${PROJECT_BINARY_DIR}/tools/client/sluice-client.pc
    DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig ${development})
install(FILES ${client}/sluice_client.c ${client}/sluice_seal.c
    DESTINATION ${CMAKE_INSTALL_DATADIR}/sluice ${development})
if(SLUICE_SODIUM)
    install(TARGETS sluice_seal ARCHIVE ${development})
    install(FILES ${PROJECT_BINARY_DIR}/tools/client/sluice-seal.pc
        DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig ${development})
endif()
install(FILES ${manual}/man/sluice-client.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 ${development})
set(modules ${client}/sluice_client.py ${client}/sluice_seal.py)
install(FILES ${modules} DESTINATION ${CMAKE_INSTALL_DATADIR}/sluice COMPONENT modules)
install(FILES ${modules} DESTINATION lib/python3/dist-packages COMPONENT python EXCLUDE_FROM_ALL)

# Optional settings for a machine that receives bursts.
install(FILES ${packaging}/systemd/sluice-buffers.conf ${packaging}/systemd/sysctl.conf
    DESTINATION ${examples})

set(units ${packaging}/systemd/sluice.service ${packaging}/systemd/sluice.socket
    ${packaging}/systemd/sluice-otlp.socket ${packaging}/systemd/sluice-tcp.socket)
install(FILES ${units} ${packaging}/systemd/tmpfiles.conf ${packaging}/logrotate
    ${packaging}/sluice.yaml DESTINATION ${examples} COMPONENT examples)

# All files are installed below /usr. PackageStage.cmake then moves /usr/etc to /etc.
set(only_system COMPONENT system EXCLUDE_FROM_ALL)
install(FILES ${units} DESTINATION lib/systemd/system ${only_system})
install(FILES ${packaging}/systemd/tmpfiles.conf
    DESTINATION lib/tmpfiles.d RENAME sluice.conf ${only_system})
install(FILES ${packaging}/logrotate DESTINATION etc/logrotate.d RENAME sluice ${only_system})
install(FILES ${packaging}/sluice.yaml DESTINATION etc/sluice ${only_system})

if(SLUICE_PORTABLE)
    # The system's Python has the module, but another Python may come before it in PATH.
    find_program(SLUICE_SYSTEM_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
    execute_process(COMMAND ${SLUICE_SYSTEM_PYTHON} -c "import markdown_it"
        RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
    if(missing)
        message(STATUS "python3-markdown-it is missing: the .tar.gz will have no website")
    else()
        set(website ${PROJECT_BINARY_DIR}/website)
        add_custom_target(website ALL
            COMMAND ${CMAKE_COMMAND} -E rm -rf ${website}
            COMMAND ${SLUICE_SYSTEM_PYTHON} ${PROJECT_SOURCE_DIR}/tools/site ${website}
            VERBATIM)
        install(DIRECTORY ${website}/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html
            COMPONENT website EXCLUDE_FROM_ALL)
    endif()
endif()

# --- packages --------------------------------------------------------------------------------
# The .deb and the .rpm are several packages, each of a group of components.
set(CPACK_PACKAGE_CONTACT "The Sluice maintainers <maintainers@sluice.example>" CACHE STRING
    "Whom a package names as its maintainer")
set(CPACK_COMPONENT_SLUICE_GROUP sluice)
set(CPACK_COMPONENT_SYSTEM_GROUP sluice)
set(CPACK_COMPONENT_TOOLS_GROUP tools)
set(CPACK_COMPONENT_DEVELOPMENT_GROUP development)
set(CPACK_COMPONENT_MODULES_GROUP development)
set(CPACK_COMPONENT_PYTHON_GROUP python)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/tools/cmake/PackageStage.cmake)

set(sluice_summary "edge-triggered UDP telemetry collector")
set(sluice_description "\
Sluice receives protobuf telemetry over UDP (Riemann, OTLP, a schema of its
own or yours), decodes it, and writes structured records to files, pipes and
commands, or sends them to Kafka, NATS JetStream and HTTP stores. Its ledger
accounts for every datagram.")
set(tools_summary "tools for the Sluice telemetry collector")
set(tools_description "\
Four programs for the terminal. sluice-top shows a running collector and what
passes through it, sluice-send sends synthetic metrics at a steady rate,
sluice-replay sends the UDP payloads of a capture again, and sluice-decode
prints protobuf messages as JSON.")
set(development_summary "client library for the Sluice telemetry collector")
set(development_description "\
Applications in C send counters, gauges and histograms to Sluice over UDP with
this library, sealed or plain. The package has the headers, static libraries,
pkg-config files, the manual page, and the sources to copy into an application.")
set(python_summary "Python client for the Sluice telemetry collector")
set(python_description "\
Applications in Python send counters, gauges and histograms to Sluice over UDP
with this module. A second module seals datagrams, and needs PyNaCl only to
encrypt them.")
# The first version that has separate packages for the tools and the client libraries.
set(sluice_split_version 0.2.0~)
include(${CMAKE_CURRENT_LIST_DIR}/PackagingDeb.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/PackagingRpm.cmake)
