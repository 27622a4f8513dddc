# One object library per stage. The stages are listed in the order of the data flow; each is compiled with an include
# folder that holds links to itself and to earlier stages only, so an include against the flow does not compile. Contact laws
# (src/reaction/laws) come before description: their tables say which parameters a model file may give.
set(JOUNCE_STAGES algebra base laws description model motion proximity reaction step study trace)
set(JOUNCE_CORE_STAGES algebra base laws model motion proximity reaction step) # what a core-only build keeps: libm and nothing else

find_package(PkgConfig REQUIRED)
if(NOT JOUNCE_CORE_ONLY)
  pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
  pkg_check_modules(XML REQUIRED IMPORTED_TARGET libxml-2.0)
  find_package(SUNDIALS REQUIRED)
  find_library(LAPACKE_LIBRARY lapacke REQUIRED)
  find_library(OPENBLAS_LIBRARY openblas REQUIRED)
  find_library(AMD_LIBRARY amd REQUIRED)
  find_path(AMD_INCLUDE amd.h PATH_SUFFIXES suitesparse REQUIRED)
  if(NOT HDF5_C_LIBRARIES) # given where the compiler is one for another machine
    find_package(HDF5 REQUIRED COMPONENTS C)
  endif()
  find_library(QHULL_LIBRARY qhull_r REQUIRED)
  find_path(QHULL_INCLUDE libqhull_r/qhull_ra.h REQUIRED)
endif()

# The same objects as an archive, in which the command and the tests see what is inside, and as a shared library, which exports the public
# functions alone. Until 1.0 a minor version may break the interface, so it is part of the soname.
add_library(jounce STATIC)
add_library(jounce_shared SHARED)
add_library(jounce::jounce ALIAS jounce_shared)
add_library(jounce::static ALIAS jounce)
set_target_properties(jounce PROPERTIES EXPORT_NAME static LINKER_LANGUAGE C)
set_target_properties(jounce_shared PROPERTIES EXPORT_NAME jounce OUTPUT_NAME jounce LINKER_LANGUAGE C
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
foreach(library jounce jounce_shared)
  target_include_directories(${library} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_link_libraries(${library} PRIVATE $<BUILD_INTERFACE:jounce_options> m)
endforeach()

set(visible "")
foreach(stage IN LISTS JOUNCE_STAGES)
  list(APPEND visible ${stage})
  set(view ${PROJECT_BINARY_DIR}/view/${stage})
  file(MAKE_DIRECTORY ${view}/jounce)
  foreach(seen IN LISTS visible)
    if(NOT seen STREQUAL laws)
      file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${seen} ${view}/${seen} SYMBOLIC)
    elseif(NOT reaction IN_LIST visible) # later stages see all of reaction
      file(MAKE_DIRECTORY ${view}/reaction)
      file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/reaction/laws ${view}/reaction/laws SYMBOLIC)
    endif()
    if(EXISTS ${PROJECT_SOURCE_DIR}/include/jounce/${seen}.h)
      file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include/jounce/${seen}.h ${view}/jounce/${seen}.h SYMBOLIC)
    endif()
    if(seen STREQUAL motion) # what a state remembers of contacts
      file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include/jounce/contact_state.h ${view}/jounce/contact_state.h SYMBOLIC)
    endif()
  endforeach()
  if(JOUNCE_CORE_ONLY AND NOT stage IN_LIST JOUNCE_CORE_STAGES)
    # A core-only build still takes the parts of description that are plain data.
    if(stage STREQUAL description)
      set(sources ${PROJECT_SOURCE_DIR}/src/description/description.c ${PROJECT_SOURCE_DIR}/src/description/joint_info.c
        ${PROJECT_SOURCE_DIR}/src/description/shape_info.c)
      file(GLOB hulls CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/description/mesh/hull*.c) # without Qhull, which they name
      list(APPEND sources ${hulls})
    else()
      continue()
    endif()
  else()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${stage}/*.c)
    if(stage STREQUAL laws)
      file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/reaction/laws/*.c)
    elseif(stage STREQUAL reaction)
      list(FILTER sources EXCLUDE REGEX /reaction/laws/)
    endif()
  endif()
  if(sources)
    add_library(jounce_${stage} OBJECT ${sources})
    target_include_directories(jounce_${stage} PRIVATE ${view})
    target_compile_definitions(jounce_${stage} PRIVATE JN_VERSION="${PROJECT_VERSION}" $<$<BOOL:${JOUNCE_CORE_ONLY}>:JN_CORE_ONLY>)
    target_link_libraries(jounce_${stage} PRIVATE jounce_options)
    target_sources(jounce PRIVATE $<TARGET_OBJECTS:jounce_${stage}>)
    target_sources(jounce_shared PRIVATE $<TARGET_OBJECTS:jounce_${stage}>)
  endif()
endforeach()

if(NOT JOUNCE_CORE_ONLY)
  target_link_libraries(jounce_description PRIVATE PkgConfig::YAML PkgConfig::XML)
  target_include_directories(jounce_description SYSTEM PRIVATE ${QHULL_INCLUDE})
  target_include_directories(jounce_model PRIVATE ${AMD_INCLUDE})
  target_include_directories(jounce_reaction PRIVATE ${HDF5_C_INCLUDE_DIRS})
  target_include_directories(jounce_trace PRIVATE ${HDF5_C_INCLUDE_DIRS})
  foreach(library jounce jounce_shared)
    target_link_libraries(${library} PRIVATE PkgConfig::YAML PkgConfig::XML SUNDIALS::cvode SUNDIALS::nvecserial ${LAPACKE_LIBRARY}
      ${OPENBLAS_LIBRARY} ${AMD_LIBRARY} ${QHULL_LIBRARY} ${HDF5_C_LIBRARIES})
  endforeach()
endif()
