#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace proa::apiserver {

// The name in a proxy request: "web", "web:8080", "web:http", "https:web:8443", "https:web:".
struct NameAndPort {
  std::string scheme = "http";
  std::string name = {};
  std::string port = {};  // a number, or a name; empty: none
};
std::optional<NameAndPort> parse_name_and_port(std::string_view text);

}  // namespace proa::apiserver
