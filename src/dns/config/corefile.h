#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace proa::dns {

// A line of a Corefile with its block, if it has one: a plugin and its options.
struct CorefileLine {
  size_t number = 0;
  std::vector<std::string> words = {};     // never empty
  std::vector<CorefileLine> options = {};  // without blocks of their own
};

// "example.org:53 { ... }"
struct CorefileBlock {
  size_t line = 0;
  std::vector<std::string> keys = {};  // never empty; "import" and its words are a block, too
  std::vector<CorefileLine> plugins = {};
};

// The structure of a Corefile, as Caddy's dispenser reads it: quotes, comments, several keys of one
// block over several lines, a single block without braces. The meaning of words is not looked at.
// Failures name the line.
Result<std::vector<CorefileBlock>> parse_corefile(std::string_view text);

}  // namespace proa::dns
