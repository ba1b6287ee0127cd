# cpack -G External runs this script, which makes the .msi from the staged files.
find_program(python NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)
set(package ${CPACK_PACKAGE_DIRECTORY}/${CPACK_PACKAGE_FILE_NAME}.msi)
execute_process(
    COMMAND ${python} ${CPACK_SLUICE_MSI} ${CPACK_TEMPORARY_DIRECTORY}/sluice ${package}
        ${CPACK_PACKAGE_VERSION} ${CPACK_SLUICE_VERSION_NUMBERS}
    COMMAND_ERROR_IS_FATAL ANY)
set(CPACK_EXTERNAL_BUILT_PACKAGES ${package})
