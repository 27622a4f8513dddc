# find_package(jounce) and pkg-config for users of the library.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS jounce EXPORT jounceTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/jounce DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET jounce_cli)
  install(TARGETS jounce_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY schema/ DESTINATION ${CMAKE_INSTALL_DATADIR}/jounce)
endif()
install(EXPORT jounceTargets NAMESPACE jounce:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/jounce)
configure_package_config_file(cmake/jounceConfig.cmake.in ${PROJECT_BINARY_DIR}/jounceConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/jounce)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/jounceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/jounceConfig.cmake ${PROJECT_BINARY_DIR}/jounceConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/jounce)
configure_file(cmake/jounce.pc.in ${PROJECT_BINARY_DIR}/jounce.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/jounce.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
