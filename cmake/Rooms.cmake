# A room is a folder of src/: one static library (proa_ROOM), one test program (ROOM_test), one include root.
#
# The include root is a folder of the build tree that holds a single link to the room, so that
# `#include "store/store.h"` is found only by those whose line in CMakeLists.txt names the store.

# What `make` builds besides everything: the tests of rooms, those of the whole, the benchmarks, the fuzzers.
add_custom_target(unit_tests)
add_custom_target(system_tests)
add_custom_target(benches)
add_custom_target(fuzzers)
# Compiles, but does not link, what is not a test of a room or a fuzzer.
add_custom_target(program_objects)
function(proa_program_objects target)
  add_custom_target(${target}_objects DEPENDS $<TARGET_OBJECTS:${target}>)
  add_dependencies(program_objects ${target}_objects)
endfunction()

function(proa_include_root room path)
  set(root "${CMAKE_BINARY_DIR}/rooms/${room}")
  file(MAKE_DIRECTORY "${root}")
  file(CREATE_LINK "${path}" "${root}/${room}" SYMBOLIC)
  set(PROA_ROOT_${room} "${root}" PARENT_SCOPE)
endfunction()

# Sets `result` to what `target` is compiled from: files that include up to 12 of the sources each. CMake's own
# UNITY_BUILD writes absolute paths into such files, so the compile cache would never hit in another clone. A source whose
# path hashes to 0... begins a new file: adding or removing a source changes files up to the next such source, not all behind it.
# A source with SKIP_UNITY_BUILD_INCLUSION is compiled alone. REQUIRES: sources are below src/, testkit/ or sim/.
function(proa_unity target result)
  if(NOT PROA_UNITY)
    set(${result} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(alone "")
  set(batches "")
  set(count 12)
  foreach(source ${ARGN})
    get_source_file_property(skip "${source}" SKIP_UNITY_BUILD_INCLUSION)
    if(skip)
      list(APPEND alone "${source}")
      continue()
    endif()
    file(RELATIVE_PATH path "${CMAKE_SOURCE_DIR}" "${source}")
    string(REGEX REPLACE "^src/" "" path "${path}")
    string(MD5 hash "${path}")
    if(count EQUAL 12 OR hash MATCHES "^0")
      string(REPLACE "/" "_" batch "${path}")  # a name that stays when others come and go
      list(APPEND batches "${batch}")
      set(count 0)
    endif()
    string(APPEND text_${batch} "#include \"${path}\"\n")
    math(EXPR count "${count} + 1")
  endforeach()
  list(TRANSFORM batches PREPEND "${CMAKE_BINARY_DIR}/unity/${target}/" OUTPUT_VARIABLE files)
  foreach(batch file IN ZIP_LISTS batches files)
    file(CONFIGURE OUTPUT "${file}" CONTENT "${text_${batch}}" @ONLY)
  endforeach()
  set(${result} ${files} ${alone} PARENT_SCOPE)
endfunction()

# Precompiles cmake/precompiled.h and the headers that follow for `target`. Headers are named as #include <...> finds
# them: CMake would write an absolute path, and what is compiled with it would not be found in the cache by another clone.
# All targets have that root, since ccache lets clang preprocess the header again where it is used.
proa_include_root(cmake "${CMAKE_SOURCE_DIR}/cmake")
include_directories("${PROA_ROOT_cmake}")
function(proa_precompile target)
  target_precompile_headers(${target} PRIVATE <cmake/precompiled.h> ${ARGN})
endfunction()

# The main function of all tests, and a precompiled header with GoogleTest in it. Tests are compiled one by
# one, since their names are private to their file, and with less optimisation: what they test has enough. With
# sanitizers they are most of the build: they are not optimised at all, and only looked at for bad addresses.
set(PROA_TEST_FLAGS -O1)
if(PROA_SANITIZE)
  set(PROA_TEST_FLAGS -O0)
endif()
if(PROA_FUZZ)
  list(APPEND PROA_TEST_FLAGS -fno-sanitize=undefined -fno-sanitize=fuzzer-no-link)
endif()
add_library(proa_test_main STATIC "${CMAKE_SOURCE_DIR}/testkit/test_main.cc")
proa_precompile(proa_test_main <gtest/gtest.h>)
target_compile_options(proa_test_main PRIVATE ${PROA_TEST_FLAGS})

# Rooms that take apart what comes from outside are optimised under sanitizers too: fuzzers live by speed. The others are
# most of the code, and compile in half of the time without.
set(PROA_FUZZED_ROOMS base crypto json http netlink api cel custom store encryption profile dns)
function(proa_room_flags target room)
  if(NOT PROA_SANITIZE OR room IN_LIST PROA_FUZZED_ROOMS)
    set(header proa_base)
  else()
    set(header proa_kinds)
    target_compile_options(${target} PRIVATE -O0)
  endif()
  if(target STREQUAL header)
    proa_precompile(${target})
  else()
    target_precompile_headers(${target} REUSE_FROM ${header})
  endif()
endfunction()

# What most tests of a room include is compiled once for all of them where testkit/KIT/precompiled.h names it.
function(proa_test_program target)
  target_link_libraries(${target} PRIVATE proa_test_main)
  # The header is compiled for a library, so those who use it must be too.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC ${PROA_TEST_FLAGS})
  if(ARGN AND EXISTS "${CMAKE_SOURCE_DIR}/testkit/${ARGN}/precompiled.h")
    proa_precompile(${target} <gtest/gtest.h> <testkit/${ARGN}/precompiled.h>)
  else()
    target_precompile_headers(${target} REUSE_FROM proa_test_main)
  endif()
endfunction()

function(proa_room room)
  cmake_parse_arguments(ROOM "" "" "USES;LIBRARIES" ${ARGN})
  set(path "${CMAKE_SOURCE_DIR}/src/${room}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${path}/*.cc")
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "/cli/main\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  proa_include_root(${room} "${path}")
  proa_unity(proa_${room} units ${sources})
  add_library(proa_${room} STATIC ${units})
  target_include_directories(proa_${room} PUBLIC "${PROA_ROOT_${room}}")
  list(TRANSFORM ROOM_USES PREPEND proa_ OUTPUT_VARIABLE used_rooms)
  list(TRANSFORM ROOM_LIBRARIES PREPEND dep_ OUTPUT_VARIABLE used_libraries)
  # Private, so that a room sees the rooms of its own line, not those that its neighbours see.
  target_link_libraries(proa_${room} PRIVATE ${used_rooms} ${used_libraries} Threads::Threads)
  proa_room_flags(proa_${room} ${room})
  set(PROA_LIBRARIES_${room} ${used_libraries} PARENT_SCOPE)
  set(PROA_USES_${room} ${used_rooms} PARENT_SCOPE)

  if(tests)
    add_executable(${room}_test ${tests})
    target_link_libraries(${room}_test PRIVATE $<TARGET_NAME_IF_EXISTS:proa_testkit_${room}> proa_testkit
                          proa_${room} ${used_rooms} ${used_libraries})
    add_test(NAME ${room} COMMAND ${room}_test --gtest_brief=1)
    set_tests_properties(${room} PROPERTIES LABELS unit TIMEOUT 600)
    add_dependencies(unit_tests ${room}_test)
    proa_test_program(${room}_test ${room})
  endif()
endfunction()

# build_info() of src/cli/command_line/build_info.h: one generated file, asked of git at every build.
function(proa_build_info kubernetes)
  set(output "${CMAKE_BINARY_DIR}/generated/build_info.cc")
  string(REGEX MATCH "^[0-9.]+" compiler_version "${CMAKE_CXX_COMPILER_VERSION}")
  string(REPLACE "GNU" "g++" compiler_name "${CMAKE_CXX_COMPILER_ID}")
  string(REPLACE "Clang" "clang++" compiler_name "${compiler_name}")
  add_custom_target(write_build_info BYPRODUCTS "${output}" COMMENT "" COMMAND ${CMAKE_COMMAND} -E env TZ=UTC
    ${CMAKE_COMMAND} "-DSOURCE=${CMAKE_SOURCE_DIR}" "-DOUTPUT=${output}" "-DVERSION=${PROA_VERSION}"
    "-DKUBERNETES=${kubernetes}" "-DCOMPILER=${compiler_name} ${compiler_version}"
    "-DPROCESSOR=${CMAKE_SYSTEM_PROCESSOR}" -P "${CMAKE_SOURCE_DIR}/cmake/BuildInfo.cmake")
  add_library(proa_build_info STATIC "${output}")
  add_dependencies(proa_build_info write_build_info)
  target_include_directories(proa_build_info PRIVATE "${CMAKE_BINARY_DIR}/rooms/cli")
  target_link_libraries(proa_cli PRIVATE proa_build_info)
endfunction()

# The program itself: main.cc of the room that wires the others.
function(proa_binary name room)
  add_executable(${name} "${CMAKE_SOURCE_DIR}/src/${room}/main.cc")
  target_link_libraries(${name} PRIVATE proa_${room} proa_base)
  proa_program_objects(${name})
  if(NOT PROA_SANITIZE)
    target_link_libraries(${name} PRIVATE dep_jemalloc)
  endif()
endfunction()

# What tests and benchmarks share, seen by them only: testkit/ itself, which sees base, and a kit for each
# room that is given, in testkit/ROOM, which sees that room too.
function(proa_testkit)
  proa_include_root(testkit "${CMAKE_SOURCE_DIR}/testkit")
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/testkit/*.cc")
  list(FILTER sources EXCLUDE REGEX "_main\\.cc$")
  add_library(proa_testkit STATIC ${sources})
  proa_room_flags(proa_testkit testkit)
  target_include_directories(proa_testkit PUBLIC "${PROA_ROOT_testkit}")
  target_link_libraries(proa_testkit PUBLIC proa_base dep_gtest)
  foreach(room ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/testkit/${room}/*.cc")
    # What a testkit tests of itself runs with the room's own tests.
    set(tests ${sources})
    list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
    list(FILTER tests INCLUDE REGEX "_test\\.cc$")
    if(tests)
      target_sources(${room}_test PRIVATE ${tests})
    endif()
    proa_unity(proa_testkit_${room} units ${sources})
    add_library(proa_testkit_${room} STATIC ${units})
    proa_room_flags(proa_testkit_${room} testkit)
    target_link_libraries(proa_testkit_${room} PUBLIC proa_testkit proa_${room} ${PROA_USES_${room}}
                          PRIVATE ${PROA_LIBRARIES_${room}})
  endforeach()
  set(PROA_TESTKITS ${ARGN} PARENT_SCOPE)
endfunction()

# sim/: a whole cluster on one thread. Sees all rooms and the testkits; its stories are a test.
function(proa_sim)
  proa_include_root(sim "${CMAKE_SOURCE_DIR}/sim")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/sim/*.cc")
  proa_unity(sim_test units ${sources})
  add_executable(sim_test ${units})
  target_include_directories(sim_test PRIVATE "${PROA_ROOT_sim}")
  target_link_libraries(sim_test PRIVATE proa_testkit_controllers proa_testkit ${ARGN} dep_fmt)
  proa_test_program(sim_test)
  add_dependencies(system_tests sim_test)
  proa_program_objects(sim_test)
  add_test(NAME sim_test COMMAND sim_test)
  set_tests_properties(sim_test PROPERTIES LABELS system TIMEOUT 900)
endfunction()

# Programs beside the binary: tests/<area>/*_test.cc (ctest, one program a file), bench/*_bench.cc, tests/fuzz/*_fuzz.cc.
function(proa_programs)
  list(TRANSFORM PROA_TESTKITS PREPEND proa_testkit_ OUTPUT_VARIABLE testkits)
  set(all_rooms proa_base proa_crypto proa_json proa_http proa_netlink proa_api proa_cel proa_custom proa_kinds proa_encryption proa_store proa_client proa_profile proa_apiserver proa_controllers proa_scheduler proa_kubelet proa_policy proa_proxy proa_dns)
  set(all_libraries dep_uv dep_nghttp2 dep_openssl dep_wslay dep_zlib dep_rocksdb dep_fmt)
  # For what programs of one area take from another: "tests/e2e/server.h".
  proa_include_root(tests "${CMAKE_SOURCE_DIR}/tests")

  # What pods of the tests in tests/lab run, in any image.
  add_custom_command(OUTPUT "${CMAKE_BINARY_DIR}/lab_peer"
    COMMAND "${PROA_IMAGE_COMPILER}" -std=c17 -O1 -Wall -Wextra -Werror -static -s
      -o "${CMAKE_BINARY_DIR}/lab_peer" "${CMAKE_SOURCE_DIR}/tests/lab/peer.c"
    DEPENDS "${CMAKE_SOURCE_DIR}/tests/lab/peer.c" COMMENT "Test program lab_peer" VERBATIM)
  add_custom_target(lab_peer_program DEPENDS "${CMAKE_BINARY_DIR}/lab_peer")

  # Programs about few rooms are built without the others.
  set(rooms_of_apply_oracle_test proa_kinds proa_api proa_json proa_crypto proa_base)
  set(rooms_of_apply_bench ${rooms_of_apply_oracle_test})
  set(rooms_of_policy_oracle_test proa_apiserver proa_profile proa_client proa_store proa_encryption proa_kinds proa_custom proa_cel proa_api proa_http proa_json proa_crypto proa_base)
  foreach(name hostile_webhook_test hostile_extension_test)
    set(rooms_of_${name} proa_testkit_apiserver proa_testkit_http proa_testkit_crypto ${rooms_of_policy_oracle_test} ${all_libraries})
  endforeach()

  file(GLOB_RECURSE tests CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/*_test.cc")
  foreach(file ${tests})
    get_filename_component(name ${file} NAME_WE)
    add_executable(${name} ${file})
    target_include_directories(${name} PRIVATE "${PROA_ROOT_tests}")
    if(DEFINED rooms_of_${name})
      target_link_libraries(${name} PRIVATE proa_testkit ${rooms_of_${name}} dep_fmt)
    else()
      target_link_libraries(${name} PRIVATE ${testkits} proa_testkit ${all_rooms} ${all_libraries})
    endif()
    proa_test_program(${name})
    add_dependencies(system_tests ${name})
    proa_program_objects(${name})
    add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
    set_tests_properties(${name} PROPERTIES LABELS system TIMEOUT 900 ENVIRONMENT "PROA_BINARY=$<TARGET_FILE:proa>")
    if(file MATCHES "/tests/(e2e|node|lab)/")
      add_dependencies(${name} proa)
    endif()
    if(file MATCHES "/tests/lab/")
      add_dependencies(${name} lab_peer_program)
    endif()
    # Those of a node wait for containers most of the time: one of them leaves a processor to another test. The rest
    # measure, or want all of the machine.
    if(file MATCHES "/tests/(node|lab)/")
      set_tests_properties(${name} PROPERTIES RESOURCE_LOCK node)
    elseif(NOT name STREQUAL "clients_test")
      set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
    endif()
  endforeach()

  # The quick part of upstream's suite, where it has been built.
  add_test(NAME conformance COMMAND "${CMAKE_SOURCE_DIR}/tests/conformance/run" "${CMAKE_SOURCE_DIR}/tests/conformance/quick.txt")
  set_tests_properties(conformance PROPERTIES LABELS system TIMEOUT 900 SKIP_RETURN_CODE 77
                       ENVIRONMENT "BUILD=${CMAKE_BINARY_DIR};NODES=0")

  file(GLOB load CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/bench/load/*.cc")
  add_library(proa_bench_load STATIC ${load})
  target_link_libraries(proa_bench_load PRIVATE proa_testkit dep_openssl dep_nghttp2 dep_fmt)
  proa_program_objects(proa_bench_load)
  file(GLOB benches CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/bench/*_bench.cc")
  add_dependencies(benches proa)
  foreach(file ${benches})
    get_filename_component(name ${file} NAME_WE)
    # Its parts: bench/network/*.cc of bench/network_bench.cc.
    string(REGEX REPLACE "_bench$" "" folder ${name})
    file(GLOB parts CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/bench/${folder}/*.cc")
    add_executable(${name} ${file} ${parts})
    target_include_directories(${name} PRIVATE "${PROA_ROOT_tests}" "${CMAKE_SOURCE_DIR}/bench")
    if(DEFINED rooms_of_${name})
      target_link_libraries(${name} PRIVATE ${rooms_of_${name}} dep_fmt)
    else()
      target_link_libraries(${name} PRIVATE proa_bench_load ${testkits} proa_testkit ${all_rooms} ${all_libraries})
    endif()
    add_dependencies(benches ${name})
    proa_program_objects(${name})
    if(PROA_SANITIZE)
      target_compile_options(${name} PRIVATE -O0)
    else()
      target_link_libraries(${name} PRIVATE dep_jemalloc)
    endif()
  endforeach()

  if(PROA_FUZZ)
    file(GLOB fuzzers CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/fuzz/*_fuzz.cc")
    foreach(file ${fuzzers})
      get_filename_component(name ${file} NAME_WE)
      add_executable(${name} ${file})
      target_link_libraries(${name} PRIVATE proa_testkit_crypto ${all_rooms} proa_network ${all_libraries})
      target_link_options(${name} PRIVATE -fsanitize=fuzzer)
      add_dependencies(fuzzers ${name})
    endforeach()
  endif()
endfunction()
