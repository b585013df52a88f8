# The programs of the images that proa carries inside: C without a library, for the machine that we build for.
# gcc whatever the rest is built with, and with flags of their own: no sanitizer works without a library.
find_program(PROA_IMAGE_COMPILER NAMES gcc cc REQUIRED)

# Makes packaging/images/PROGRAM.c, for each program, and lets the source take them in with .incbin.
# REQUIRES: the room of the source is there.
function(proa_embed_images room source)
  set(folder "${CMAKE_BINARY_DIR}/images")
  file(MAKE_DIRECTORY "${folder}")
  set(from "${CMAKE_SOURCE_DIR}/packaging/images")
  set(programs "")
  foreach(program ${ARGN})
    add_custom_command(OUTPUT "${folder}/${program}"
      COMMAND "${PROA_IMAGE_COMPILER}" -std=c17 -Os -Wall -Wextra -Werror -ffreestanding -fno-pie -fno-stack-protector
        -fno-asynchronous-unwind-tables -fno-tree-loop-distribute-patterns
        -static -nostdlib -no-pie -s -Wl,--build-id=none -Wl,-z,noseparate-code -Wl,-z,norelro -Wl,-z,noexecstack
        -o "${folder}/${program}" "${from}/${program}.c"
      DEPENDS "${from}/${program}.c" "${from}/freestanding.h" COMMENT "Image program ${program}" VERBATIM)
    list(APPEND programs "${folder}/${program}")
  endforeach()
  add_custom_target(image_programs DEPENDS ${programs})
  add_dependencies(proa_${room} image_programs)
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${programs}" SKIP_PRECOMPILE_HEADERS ON
    SKIP_UNITY_BUILD_INCLUSION ON COMPILE_DEFINITIONS "PROA_IMAGE_FOLDER=\"${folder}\"")
endfunction()
