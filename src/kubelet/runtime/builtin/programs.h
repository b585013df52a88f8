#pragma once

#include <string_view>

namespace proa::kubelet {

// The static ELF programs of packaging/images, embedded by the build.
std::string_view pause_program();
std::string_view hello_program();

}  // namespace proa::kubelet
