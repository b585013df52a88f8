#pragma once

#include <string_view>

namespace proa::kubelet {

// The programs of packaging/images, as the build made them: whole ELF files without a library.
std::string_view pause_program();
std::string_view hello_program();

}  // namespace proa::kubelet
