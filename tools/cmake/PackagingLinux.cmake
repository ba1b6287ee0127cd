# Only for Linux: manual, completions, the client library, units, and the packages .deb, .rpm and
# .tar.gz. Included by Packaging.cmake.
#
#   sluice    as in Packaging.cmake, and in addition manual, completions and the client library
#   system    units and configuration of a machine. Only in .deb and .rpm, because they contain /usr
#   examples  the same files as examples: in the .tar.gz, and in an installation by "cmake --install"
install(FILES ${packaging}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Folders of man and of each shell.
foreach(program ${programs})
    install(FILES ${manual}/man/${program}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${manual}/bash/${program}
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${manual}/zsh/_${program}
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${manual}/fish/${program}.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endforeach()
install(FILES ${manual}/man/sluice.yaml.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
install(FILES ${manual}/schema/sluice.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/sluice)
install(FILES ${packaging}/monitoring/sluice-alerts.yaml ${packaging}/monitoring/sluice-dashboard.json
    DESTINATION ${CMAKE_INSTALL_DATADIR}/sluice/monitoring)

# The client library, as an archive and as source. pkg-config finds files in share/ on every system.
set(client ${PROJECT_SOURCE_DIR}/tools/client)
install(TARGETS sluice_client ARCHIVE)
install(FILES ${client}/sluice_client.h ${client}/sluice_seal.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/tools/client/sluice-client.pc
    DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
install(FILES ${client}/sluice_client.c ${client}/sluice_client.py ${client}/sluice_seal.c
    ${client}/sluice_seal.py
    DESTINATION ${CMAKE_INSTALL_DATADIR}/sluice)
if(SLUICE_SODIUM)
    install(TARGETS sluice_seal ARCHIVE)
    install(FILES ${PROJECT_BINARY_DIR}/tools/client/sluice-seal.pc
        DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
endif()
install(FILES ${manual}/man/sluice-client.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)

# Optional settings for bursts.
install(FILES ${packaging}/systemd/sluice-buffers.conf ${packaging}/systemd/sysctl.conf
    DESTINATION ${examples})

set(units ${packaging}/systemd/sluice.service ${packaging}/systemd/sluice.socket
    ${packaging}/systemd/sluice-otlp.socket ${packaging}/systemd/sluice-tcp.socket)
install(FILES ${units} ${packaging}/systemd/tmpfiles.conf ${packaging}/logrotate
    ${packaging}/sluice.yaml DESTINATION ${examples} COMPONENT examples)

# All are installed below /usr; PackageStage.cmake then moves /usr/etc to /etc.
set(only_system COMPONENT system EXCLUDE_FROM_ALL)
install(FILES ${units} DESTINATION lib/systemd/system ${only_system})
install(FILES ${packaging}/systemd/tmpfiles.conf
    DESTINATION lib/tmpfiles.d RENAME sluice.conf ${only_system})
install(FILES ${packaging}/logrotate DESTINATION etc/logrotate.d RENAME sluice ${only_system})
install(FILES ${packaging}/sluice.yaml DESTINATION etc/sluice ${only_system})

# --- packages --------------------------------------------------------------------------------
set(CPACK_DEBIAN_PACKAGE_VERSION ${SLUICE_VERSION_DEB})
set(CPACK_RPM_PACKAGE_VERSION ${SLUICE_VERSION_RPM})
set(CPACK_PACKAGE_CONTACT "The Sluice maintainers <maintainers@sluice.example>" CACHE STRING
    "Whom a package names as its maintainer")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "edge-triggered UDP telemetry collector")
set(CPACK_PACKAGE_DESCRIPTION "\
Sluice receives protobuf telemetry over UDP (Riemann, OTLP, a schema of its
own or yours), decodes it, and writes structured records to files, pipes and
commands, or sends them to Kafka, NATS JetStream and HTTP stores. Its ledger
accounts for every datagram.")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/tools/cmake/PackageStage.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "init-system-helpers (>= 1.54~)")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS # loaded for tls=on, http:, kafka:, nats: and sealed datagrams
    "libssl3, libcurl4, librdkafka1, libnats3.4, libsodium23, logrotate")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS protobuf-compiler)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${packaging}/debian/conffiles ${packaging}/debian/postinst
    ${packaging}/debian/postrm ${packaging}/debian/prerm)

set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
set(CPACK_RPM_PACKAGE_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}") # or CPack's own for components
# The libraries are loaded for tls=on, http:, kafka:, nats: and sealed datagrams. Only a build of an
# application with the client library needs pkg-config, which rpm would require for its .pc file.
set(CPACK_RPM_SPEC_MORE_DEFINE "\
Recommends: libssl.so.3()(64bit), libcurl.so.4()(64bit), librdkafka.so.1()(64bit), libnats.so.3.4()(64bit), libsodium.so.23()(64bit), logrotate
Suggests: /usr/bin/protoc
%global __requires_exclude ^/usr/bin/pkg-config$
%global clamp_mtime_to_source_date_epoch 1
%global use_source_date_epoch_as_buildtime 1
%global _buildhost sluice.example")
set(CPACK_RPM_POST_INSTALL_SCRIPT_FILE ${packaging}/rpm/post)
set(CPACK_RPM_PRE_UNINSTALL_SCRIPT_FILE ${packaging}/rpm/preun)
set(CPACK_RPM_POST_UNINSTALL_SCRIPT_FILE ${packaging}/rpm/postun)
set(CPACK_RPM_USER_FILELIST "%config(noreplace) /etc/sluice/sluice.yaml"
    "%config(noreplace) /etc/logrotate.d/sluice")
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /etc /etc/logrotate.d /usr/lib/systemd
    /usr/lib/systemd/system /usr/lib/tmpfiles.d /usr/share/bash-completion
    /usr/share/bash-completion/completions /usr/share/fish /usr/share/fish/vendor_completions.d
    /usr/share/man /usr/share/man/man1 /usr/share/man/man3 /usr/share/man/man5 /usr/share/pkgconfig
    /usr/share/zsh /usr/share/zsh/site-functions)
