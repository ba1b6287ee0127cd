# Only for Windows: texts with CRLF, licences of the libraries, the configuration, and an .msi, made by wixl
# (Debian's packages wixl and msitools). Included by Packaging.cmake.
include(${CMAKE_CURRENT_LIST_DIR}/Licences.cmake)
set(windows ${packaging}/windows)
set(texts ${PROJECT_BINARY_DIR}/package-texts)

# Installs a text with CRLF as FOLDER/NAME.
function(sluice_install_text source folder name)
    file(GENERATE OUTPUT ${texts}/${folder}/${name} INPUT ${source} NEWLINE_STYLE WIN32)
    install(FILES ${texts}/${folder}/${name} DESTINATION ${folder})
endfunction()

configure_file(${windows}/README.txt.in ${texts}/README.lf @ONLY)
sluice_install_text(${texts}/README.lf . README.txt)
sluice_install_text(${PROJECT_SOURCE_DIR}/LICENSE . LICENSE.txt)
sluice_install_text(${windows}/sluice.yaml . sluice.yaml)
sluice_find_licences(licences)
while(licences)
    list(POP_FRONT licences name file)
    sluice_install_text(${file} licenses ${name}.txt)
endwhile()

# --- the .msi --------------------------------------------------------------------------------
set(CPACK_EXTERNAL_ENABLE_STAGING ON)
set(CPACK_EXTERNAL_PACKAGE_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/PackageMsi.cmake)
set(CPACK_SLUICE_MSI ${windows}/make_msi.py)
set(CPACK_SLUICE_VERSION_NUMBERS ${SLUICE_VERSION_NUMBERS})
