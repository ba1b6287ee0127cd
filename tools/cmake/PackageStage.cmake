# cpack runs this script between staging and packing. It makes the changes for one package format.
# Each group of components has a folder, which becomes a package. For the archives, one folder has
# all components.
file(GLOB groups LIST_DIRECTORIES true ${CPACK_TEMPORARY_DIRECTORY}/*)

if(NOT CPACK_GENERATOR STREQUAL "TGZ")
    file(RENAME ${CPACK_TEMPORARY_DIRECTORY}/sluice/usr/etc ${CPACK_TEMPORARY_DIRECTORY}/sluice/etc)
endif()

# CPack strips only programs, so archives are stripped here. A package of static programs has no archives.
file(GLOB_RECURSE archives ${CPACK_TEMPORARY_DIRECTORY}/*.a)
if(archives)
    execute_process(COMMAND ${CPACK_STRIP} --strip-debug --enable-deterministic-archives ${archives}
        COMMAND_ERROR_IS_FATAL ANY)
endif()

# Installs FILE as FOLDER/NAME, readable by all users.
function(place file folder name)
    file(COPY_FILE ${file} ${folder}/${name})
    file(CHMOD ${folder}/${name} FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endfunction()

# Debian requires compressed documents, copyright and changelog in each package, and its own folder for zsh.
# gzip -n omits the current time.
set(packaging ${CMAKE_CURRENT_LIST_DIR}/../packaging)
if(CPACK_GENERATOR STREQUAL "DEB")
    file(REMOVE ${CPACK_TEMPORARY_DIRECTORY}/sluice/usr/share/doc/sluice/LICENSE
        ${CPACK_TEMPORARY_DIRECTORY}/sluice/usr/share/doc/sluice/copyright)
    foreach(group ${groups})
        cmake_path(GET group FILENAME name)
        string(TOUPPER ${name} upper)
        set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
        set(documents ${group}/usr/share/doc/${package})
        file(MAKE_DIRECTORY ${documents})
        place(${packaging}/debian/changelog ${documents} changelog)
        place(${packaging}/copyright ${documents} copyright)
        if(EXISTS ${packaging}/debian/${package}/lintian-overrides)
            file(MAKE_DIRECTORY ${group}/usr/share/lintian/overrides)
            place(${packaging}/debian/${package}/lintian-overrides
                ${group}/usr/share/lintian/overrides ${package})
        endif()
        if(EXISTS ${group}/usr/share/zsh/site-functions)
            file(RENAME ${group}/usr/share/zsh/site-functions ${group}/usr/share/zsh/vendor-completions)
        endif()
        execute_process(COMMAND gzip -9n ${documents}/changelog COMMAND_ERROR_IS_FATAL ANY)
    endforeach()
elseif(CPACK_GENERATOR STREQUAL "RPM")
    foreach(group ${groups})
        cmake_path(GET group FILENAME name)
        string(TOUPPER ${name} upper)
        set(package ${CPACK_RPM_${upper}_PACKAGE_NAME})
        if(NOT package STREQUAL "sluice")
            file(MAKE_DIRECTORY ${group}/usr/share/doc/${package})
            place(${packaging}/copyright ${group}/usr/share/doc/${package} copyright)
        endif()
    endforeach()
endif()
if(NOT CPACK_GENERATOR STREQUAL "TGZ")
    file(GLOB pages ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/man/*/*)
    execute_process(COMMAND gzip -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()

# The permissions must not depend on the build's umask.
file(CHMOD_RECURSE ${CPACK_TEMPORARY_DIRECTORY} DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
