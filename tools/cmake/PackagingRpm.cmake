# The fields of the rpm packages, one for each group of components. Included by PackagingLinux.cmake.
set(rpm ${packaging}/rpm)
set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_PACKAGE_VERSION ${SLUICE_VERSION_RPM})
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
if(CMAKE_CROSSCOMPILING)
    set(CPACK_RPM_PACKAGE_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR})
endif()
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
set(CPACK_PACKAGE_RELOCATABLE OFF) # the units name /usr/bin
set(CPACK_RPM_PACKAGE_RELOCATABLE OFF)
foreach(group sluice tools development)
    string(TOUPPER ${group} upper)
    string(SUBSTRING "${${group}_summary}" 0 1 first)
    string(TOUPPER ${first} first)
    string(SUBSTRING "${${group}_summary}" 1 -1 rest)
    set(CPACK_RPM_${upper}_PACKAGE_SUMMARY "${first}${rest}")
    set(CPACK_RPM_${upper}_PACKAGE_DESCRIPTION "${${group}_description}")
endforeach()

set(moved "sluice < ${sluice_split_version}")
set(CPACK_RPM_SLUICE_PACKAGE_NAME sluice)
set(CPACK_RPM_SLUICE_PACKAGE_GROUP "System Environment/Daemons")
set(CPACK_RPM_TOOLS_PACKAGE_NAME sluice-tools)
set(CPACK_RPM_TOOLS_PACKAGE_GROUP "Applications/System")
set(CPACK_RPM_TOOLS_PACKAGE_CONFLICTS "${moved}")
set(CPACK_RPM_DEVELOPMENT_PACKAGE_NAME sluice-client-devel)
set(CPACK_RPM_DEVELOPMENT_PACKAGE_GROUP "Development/Libraries")
set(CPACK_RPM_DEVELOPMENT_PACKAGE_CONFLICTS "${moved}")

# CPack has no variable for Recommends. The libraries are loaded for tls=on, dtls:, http:, kafka:, nats: and
# sealed datagrams. An application with the client library needs libsodium only for sealing, and pkg-config
# only for its build; rpm would require both because of the .pc files.
list(TRANSFORM SLUICE_LOADED_FILES APPEND "()(64bit)" OUTPUT_VARIABLE loaded)
list(JOIN loaded ", " loaded)
set(CPACK_RPM_SPEC_MORE_DEFINE "\
%if \"%{name}\" == \"sluice\"
Recommends: sluice-tools, ${loaded}, logrotate
Suggests: /usr/bin/protoc
%endif
%if \"%{name}\" == \"sluice-tools\"
Recommends: libsodium.so.23()(64bit)
%endif
%if \"%{name}\" == \"sluice-client-devel\"
Recommends: pkgconfig(libsodium)
%endif
Packager: ${CPACK_PACKAGE_CONTACT}
%global __requires_exclude ^(/usr/bin/pkg-config|pkgconfig\\\\(.*)$
%global _build_id_links none
%global clamp_mtime_to_source_date_epoch 1
%global use_source_date_epoch_as_buildtime 1
%global _buildhost sluice.example")
set(CPACK_RPM_SLUICE_POST_INSTALL_SCRIPT_FILE ${rpm}/post)
set(CPACK_RPM_SLUICE_PRE_UNINSTALL_SCRIPT_FILE ${rpm}/preun)
set(CPACK_RPM_SLUICE_POST_UNINSTALL_SCRIPT_FILE ${rpm}/postun)
set(CPACK_RPM_SLUICE_USER_FILELIST "%config(noreplace) /etc/sluice/sluice.yaml"
    "%config(noreplace) /etc/logrotate.d/sluice")
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /etc /etc/logrotate.d /usr/lib/systemd
    /usr/lib/systemd/system /usr/lib/tmpfiles.d /usr/share/bash-completion
    /usr/share/bash-completion/completions /usr/share/fish /usr/share/fish/vendor_completions.d
    /usr/share/man /usr/share/man/man1 /usr/share/man/man3 /usr/share/man/man5 /usr/share/pkgconfig
    /usr/share/zsh /usr/share/zsh/site-functions)
