// Parsed documents print as text that parses to the same value; printing is then stable.

#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/utf8.h"
#include "json/parse.h"
#include "json/print.h"
#include "json/text/count.h"

namespace {

size_t size_of_tree(const proa::json::Value& value) {
  size_t size = 1;
  for (const auto& item : value.items()) size += size_of_tree(item);
  for (const auto& member : value.members()) size += size_of_tree(member.value);
  return size;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace proa::json;
  std::vector<std::string> duplicates;
  const auto first =
      parse({reinterpret_cast<const char*>(data), size}, {.duplicates = &duplicates});
  if (!first) return 0;
  const std::string text = print(first->root());
  CHECK(proa::is_utf8(text));
  const auto second = parse(text);
  CHECK(second.ok());
  CHECK(second->root() == first->root());
  // Only from the second time on: the double -0 prints as -0, which parses as the integer 0.
  const std::string settled = print(second->root());
  CHECK(print(parse(settled)->root()) == settled);
  CHECK(parse(print_pretty(first->root()))->root() == first->root());
  CHECK(first->copy().root() == first->root());
  CHECK(first->root().depth() <= kMaxDepth);
  CHECK(count_values(text, text.size()) == size_of_tree(first->root()));
  proa::Budget budget({.values = 100});
  CHECK(parse(text, {.budget = &budget}).ok() == (size_of_tree(first->root()) <= 100));
  return 0;
}
