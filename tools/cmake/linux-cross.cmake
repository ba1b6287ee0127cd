# Cross-compiles for Linux on another machine, SLUICE_MACHINE (aarch64, s390x), with Debian's cross compiler,
# and runs the programs under qemu. Headers and libraries are in a folder below build/, which
# tools/fetch-sysroot makes when a build tree is configured for the first time.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SLUICE_MACHINE)
set(architecture_aarch64 arm64)
set(architecture_s390x s390x)
set(SLUICE_ARCHITECTURE ${architecture_${SLUICE_MACHINE}}) # Debian's name
set(loader_aarch64 lib/ld-linux-aarch64.so.1)
set(loader_s390x lib/ld64.so.1)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${SLUICE_MACHINE})
set(CMAKE_C_COMPILER ${SLUICE_MACHINE}-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE ${SLUICE_MACHINE}-linux-gnu)
cmake_path(SET CMAKE_SYSROOT NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../../build/sysroot/${SLUICE_ARCHITECTURE})
set(SLUICE_DPKG_DATABASE ${CMAKE_SYSROOT}/var/lib/dpkg)
if(NOT EXISTS ${SLUICE_DPKG_DATABASE})
    message(STATUS "Downloading libraries for ${SLUICE_ARCHITECTURE}")
    execute_process(
        COMMAND ${CMAKE_CURRENT_LIST_DIR}/../fetch-sysroot ${CMAKE_SYSROOT} ${SLUICE_ARCHITECTURE}
            libc6-dev libprotobuf-c-dev libzstd-dev zlib1g-dev libyaml-dev libssl-dev libcurl4-openssl-dev
            librdkafka-dev libnats-dev libsodium-dev libncurses-dev libjansson-dev libcmocka-dev
        RESULT_VARIABLE result)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "Cannot get the libraries for ${SLUICE_ARCHITECTURE} from Debian.")
    endif()
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR}
    ${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
set(ENV{DPKG_ADMINDIR} ${SLUICE_DPKG_DATABASE}) # for dpkg-query
# Programs name the loader and the libraries of that folder, so that qemu finds them without its option -L.
# With -L, qemu would search the folder first for every absolute path: a program that opens "/" would get the
# folder. Programs for packages name the loader of their own system.
set(SLUICE_LIBRARIES
    ${CMAKE_SYSROOT}/lib/${CMAKE_LIBRARY_ARCHITECTURE} ${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
if(SLUICE_REPRODUCIBLE)
    set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${SLUICE_MACHINE}-static -L ${CMAKE_SYSROOT})
else()
    list(JOIN SLUICE_LIBRARIES : search_path)
    add_link_options(-Wl,--dynamic-linker=${CMAKE_SYSROOT}/${loader_${SLUICE_MACHINE}}
        -Wl,--disable-new-dtags,-rpath,${search_path})
    set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${SLUICE_MACHINE}-static)
endif()
