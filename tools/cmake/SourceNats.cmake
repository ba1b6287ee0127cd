# nats.c with TLS and without NATS Streaming: sluice::nats. Only for a static build. Included by
# FromSources.cmake.
file(GLOB files ${nats_source}/src/*.c ${nats_source}/src/unix/*.c)
# The headers are included as nats/nats.h, as after an installation.
set(nats_made ${PROJECT_BINARY_DIR}/nats)
foreach(header nats.h status.h version.h)
    configure_file(${nats_source}/src/${header} ${nats_made}/nats/${header} COPYONLY)
endforeach()
sluice_built(nats ${nats_made} ${files})
target_include_directories(nats PRIVATE ${nats_source}/src ${nats_source}/src/include ${nats_source}/src/unix)
target_compile_definitions(nats PRIVATE
    _GNU_SOURCE _REENTRANT LINUX NATS_HAS_TLS NATS_USE_OPENSSL_1_1 NATS_FORCE_HOST_VERIFICATION)
target_compile_options(nats PRIVATE -Os -w)
target_link_libraries(nats PUBLIC sluice::openssl)
