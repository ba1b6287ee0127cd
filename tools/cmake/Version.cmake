# The version, from the newest tag vN.N.N of the commit or its ancestors (Semantic Versioning 2.0.0):
#
#   v1.2.3              1.2.3
#   4 commits after it  1.2.3+4.gHASH
#   v1.3.0-rc.1         1.3.0-rc.1
#   no such tag         SLUICE_UNTAGGED_VERSION
#
# In a clone the version comes from git; in an archive of the source (git archive), from version.txt,
# which git has filled in. Both give the same version for a commit.
set(SLUICE_UNTAGGED_VERSION 0.2.0)

set(_hash_digits 12) # a fixed number, so that all clones agree; version.txt uses the same

# Runs git if FOLDER is the top of a clone. Otherwise, or without git, the result is empty. Also accepts a
# clone that belongs to another user.
function(_sluice_git folder out)
    set(git git -C ${folder} -c safe.directory=${folder})
    execute_process(COMMAND ${git} rev-parse --show-toplevel
        OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE result)
    set(answer "")
    if(result EQUAL 0)
        file(REAL_PATH ${top} top)
        if(top STREQUAL folder)
            execute_process(COMMAND ${git} ${ARGN}
                OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
        endif()
    endif()
    set(${out} "${answer}" PARENT_SCOPE)
endfunction()

# Reads a value of version.txt, which is empty if git has not filled it in.
function(_sluice_archived folder key out)
    set(value "")
    if(EXISTS ${folder}/tools/cmake/version.txt)
        file(STRINGS ${folder}/tools/cmake/version.txt line REGEX "^${key}: [^$]")
        string(REGEX REPLACE "^${key}: " "" value "${line}")
    endif()
    set(${out} "${value}" PARENT_SCOPE)
endfunction()

# Sets in the caller: SLUICE_VERSION, the full version; SLUICE_VERSION_NUMBERS, its N.N.N;
# SLUICE_VERSION_DEB and SLUICE_VERSION_RPM, with '~' before a pre-release, so that it sorts before the
# release; SLUICE_SOURCE_TIME, the time of the commit in seconds since 1970, or empty.
function(sluice_find_version folder)
    file(REAL_PATH ${folder} folder)
    _sluice_git(${folder} described describe --tags --match "v[0-9]*" --abbrev=${_hash_digits})
    _sluice_git(${folder} moment log -1 --format=%ct)
    if(NOT moment)
        _sluice_archived(${folder} describe described)
        _sluice_archived(${folder} time moment)
    endif()
    set(pattern "^v([0-9]+\\.[0-9]+\\.[0-9]+)(-[0-9A-Za-z.-]+)?$")
    set(commits "")
    if(described MATCHES "^(.*)-([0-9]+)-(g[0-9a-f]+)$")
        set(described ${CMAKE_MATCH_1})
        set(commits "+${CMAKE_MATCH_2}.${CMAKE_MATCH_3}")
    endif()
    if(described MATCHES "${pattern}")
        set(numbers ${CMAKE_MATCH_1})
        set(before "${CMAKE_MATCH_2}")
    else()
        set(numbers ${SLUICE_UNTAGGED_VERSION})
        set(before "")
        set(commits "")
    endif()
    string(REPLACE "-" "~" packaged "${before}")
    set(SLUICE_VERSION "${numbers}${before}${commits}" PARENT_SCOPE)
    set(SLUICE_VERSION_NUMBERS ${numbers} PARENT_SCOPE)
    set(SLUICE_VERSION_DEB "${numbers}${packaged}${commits}" PARENT_SCOPE)
    set(SLUICE_VERSION_RPM "${numbers}${packaged}${commits}" PARENT_SCOPE)
    set(SLUICE_SOURCE_TIME "${moment}" PARENT_SCOPE)
endfunction()

# Runs CMake again after a checkout of another commit, or for a new tag.
function(sluice_watch_version)
    foreach(path logs/HEAD packed-refs refs/tags)
        _sluice_git(${PROJECT_SOURCE_DIR} found rev-parse --git-path ${path})
        if(found)
            cmake_path(ABSOLUTE_PATH found BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
            if(EXISTS ${found})
                set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY
                    CMAKE_CONFIGURE_DEPENDS ${found})
            endif()
        endif()
    endforeach()
endfunction()

# As a script (cmake -DFOLDER=DIR -P Version.cmake) it only prints the result.
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
    sluice_find_version(${FOLDER})
    foreach(name VERSION VERSION_NUMBERS VERSION_DEB VERSION_RPM SOURCE_TIME)
        message(NOTICE "${name}=${SLUICE_${name}}")
    endforeach()
endif()
