# Run by cpack after staging and before packing: changes for one package format.
set(root ${CPACK_TEMPORARY_DIRECTORY}/ALL_COMPONENTS_IN_ONE)

if(NOT CPACK_GENERATOR STREQUAL "TGZ")
    file(RENAME ${root}/usr/etc ${root}/etc)
endif()

# CPack strips programs only, so the archives are stripped here.
file(GLOB_RECURSE archives ${CPACK_TEMPORARY_DIRECTORY}/*.a)
execute_process(COMMAND ${CPACK_STRIP} --strip-debug --enable-deterministic-archives ${archives}
    COMMAND_ERROR_IS_FATAL ANY)

# Debian compresses documents, and has its own name for the copyright file and its own folder for zsh.
# gzip -n omits the current time.
if(CPACK_GENERATOR STREQUAL "DEB")
    set(here ${CMAKE_CURRENT_LIST_DIR}/../packaging/debian)
    set(documents ${root}/usr/share/doc/sluice)
    file(REMOVE ${documents}/LICENSE)
    set(rights FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    file(COPY ${here}/changelog DESTINATION ${documents} ${rights})
    file(COPY ${here}/lintian-overrides DESTINATION ${root}/usr/share/lintian/overrides ${rights})
    file(RENAME ${root}/usr/share/lintian/overrides/lintian-overrides
        ${root}/usr/share/lintian/overrides/sluice)
    file(RENAME ${root}/usr/share/zsh/site-functions ${root}/usr/share/zsh/vendor-completions)
    file(GLOB pages ${root}/usr/share/man/*/*)
    execute_process(COMMAND gzip -9n ${documents}/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()

# Permissions must not depend on the umask of the build.
file(CHMOD_RECURSE ${CPACK_TEMPORARY_DIRECTORY} DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
