#include "kubelet/runtime/builtin/programs.h"

// Puts a program that the build made into this one: its bytes lie between two symbols.
#define EMBED(name)                                                                  \
  asm(".pushsection .rodata\n"                                                       \
      ".globl proa_program_" #name                                                   \
      "\n"                                                                           \
      ".hidden proa_program_" #name                                                  \
      "\n"                                                                           \
      "proa_program_" #name                                                          \
      ":\n"                                                                          \
      ".incbin \"" PROA_IMAGE_FOLDER "/" #name                                       \
      "\"\n"                                                                         \
      ".globl proa_program_" #name                                                   \
      "_end\n"                                                                       \
      ".hidden proa_program_" #name                                                  \
      "_end\n"                                                                       \
      "proa_program_" #name                                                          \
      "_end:\n"                                                                      \
      ".popsection\n");                                                              \
  extern "C" __attribute__((visibility("hidden"))) const char proa_program_##name[]; \
  extern "C" __attribute__((visibility("hidden"))) const char proa_program_##name##_end[];

EMBED(pause)
EMBED(hello)

namespace proa::kubelet {
namespace programs {

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<size_t>(end - begin)};
}

}  // namespace programs

std::string_view pause_program() {
  return programs::between(proa_program_pause, proa_program_pause_end);
}
std::string_view hello_program() {
  return programs::between(proa_program_hello, proa_program_hello_end);
}

}  // namespace proa::kubelet
