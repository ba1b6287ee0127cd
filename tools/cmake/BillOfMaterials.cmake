# The software bill of materials of the programs, as SPDX 2.3 in JSON, made by tools/packaging/sbom from the
# programs' link maps. It is installed with the documents. Included by Packaging.cmake.
find_program(SLUICE_SBOM_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(SLUICE_SBOM_PYTHON NAMES python3)
if(SLUICE_SANITIZE)
    return()
elseif(NOT SLUICE_SBOM_PYTHON)
    message(STATUS "no bill of materials: there is no python3")
    return()
endif()
set(sbom ${PROJECT_SOURCE_DIR}/tools/packaging/sbom)
set(materials ${PROJECT_BINARY_DIR}/sluice.spdx.json)
set(options --version ${SLUICE_VERSION} --copyright ${packaging}/copyright --objdump ${CMAKE_OBJDUMP})
if(SLUICE_SOURCE_TIME)
    list(APPEND options --moment ${SLUICE_SOURCE_TIME})
endif()
# Each row has a component's name in the copyright file, and its name in FromPkgConfig.cmake and
# FromSources.cmake.
foreach(row "jansson jansson" "libcurl curl" "librdkafka rdkafka" "libsodium sodium" "libyaml yaml" "nats.c nats"
        "ncurses ncurses" "nghttp2 nghttp2" "openssl openssl" "protobuf-c protobuf_c" "zlib zlib" "zstd zstd")
    string(REPLACE " " ";" row ${row})
    list(POP_FRONT row component name)
    if(${name}_source)
        list(APPEND options --source ${component}=${${name}_source})
    elseif(${name}_VERSION)
        list(APPEND options --known ${component}=${${name}_VERSION})
    endif()
endforeach()
set(files ${programs})
list(TRANSFORM files REPLACE "(.+)" "$<TARGET_FILE:\\1>")
set(environment PYTHONDONTWRITEBYTECODE=1)
if(SLUICE_DPKG_DATABASE) # of a cross build
    list(APPEND environment DPKG_ADMINDIR=${SLUICE_DPKG_DATABASE})
endif()
add_custom_command(OUTPUT ${materials}
    COMMAND ${CMAKE_COMMAND} -E env ${environment}
        ${SLUICE_SBOM_PYTHON} ${sbom}/make_sbom.py --out ${materials} ${options} ${files}
    DEPENDS ${programs} ${sbom}/make_sbom.py ${sbom}/components.py ${sbom}/spdx.py ${packaging}/copyright
    VERBATIM)
add_custom_target(bill_of_materials ALL DEPENDS ${materials})
install(FILES ${materials} DESTINATION ${CMAKE_INSTALL_DOCDIR})
