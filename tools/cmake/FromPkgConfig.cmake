# sluice::NAME as pkg-config knows them. The archive where there is one: the program then needs
# nothing beside it.
find_package(PkgConfig REQUIRED)

function(sluice_from_pkg_config name module archive)
    pkg_check_modules(${name} REQUIRED ${module})
    find_library(${name}_archive NAMES lib${archive}.a ${archive}
        HINTS ${${name}_LIBRARY_DIRS} REQUIRED)
    sluice_library(${name} INCLUDES ${${name}_INCLUDE_DIRS} LIBRARIES ${${name}_archive})
endfunction()

sluice_from_pkg_config(protobuf_c libprotobuf-c protobuf-c)
# Where protobuf-c.proto, its options, stands: beside the runtime's headers.
pkg_get_variable(PROTOBUF_C_INCLUDEDIR libprotobuf-c includedir)
if(SLUICE_ZSTD)
    sluice_from_pkg_config(zstd libzstd zstd)
endif()
if(SLUICE_ZLIB)
    sluice_from_pkg_config(zlib zlib z)
endif()
if(SLUICE_YAML)
    sluice_from_pkg_config(yaml yaml-0.1 yaml)
endif()
if(SLUICE_METRICS)
    # The shared library: its archive wants GnuTLS, of which there is none.
    pkg_check_modules(MICROHTTPD REQUIRED IMPORTED_TARGET libmicrohttpd)
    add_library(sluice::microhttpd ALIAS PkgConfig::MICROHTTPD)
endif()
if(SLUICE_TOP)
    pkg_check_modules(NCURSES REQUIRED IMPORTED_TARGET ncurses)
    pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
endif()
if(SLUICE_TESTS)
    pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
    add_library(sluice::cmocka ALIAS PkgConfig::CMOCKA)
endif()
