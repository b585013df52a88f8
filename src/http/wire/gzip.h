#pragma once

#include <string>
#include <string_view>

namespace proa::http {

// `body` in gzip's format, optimised for speed.
std::string gzip(std::string_view body);

}  // namespace proa::http
