# SPDX-License-Identifier: MIT
# What `cmake --install` puts where: the command, both libraries, headers, and the two files through
# which other builds find them (pkg-config's and CMake's).

include(CMakePackageConfigHelpers)

install(TARGETS fencerun_shared fencerun_static EXPORT fencerun
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS fencerun RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/fencerun DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES README.md SECURITY.md CONTRIBUTING.md CHANGELOG.md LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

# A directory may be given relative to the prefix or absolute.
foreach(dir LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
    set(FR_PC_${dir} "${CMAKE_INSTALL_${dir}}")
  else()
    set(FR_PC_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
# Relative to the file itself where that is possible, so that `cmake --install --prefix` and moved
# trees stay right.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(FR_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH FR_PC_UP "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  string(REGEX REPLACE "/$" "" FR_PC_UP "${FR_PC_UP}")
  set(FR_PC_PREFIX "\${pcfiledir}/${FR_PC_UP}")
endif()
configure_file(cmake/fencerun.pc.in fencerun.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/fencerun.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(FR_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/fencerun)
configure_package_config_file(cmake/fencerunConfig.cmake.in fencerunConfig.cmake
  INSTALL_DESTINATION ${FR_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may break what was built for another one.
write_basic_package_version_file(fencerunConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT fencerun NAMESPACE fencerun:: FILE fencerunTargets.cmake DESTINATION ${FR_CMAKE_DIR})
install(FILES
  ${PROJECT_BINARY_DIR}/fencerunConfig.cmake ${PROJECT_BINARY_DIR}/fencerunConfigVersion.cmake
  DESTINATION ${FR_CMAKE_DIR})
