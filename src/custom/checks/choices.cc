#include "custom/checks/choices.h"

#include <algorithm>
#include <string>

#include "base/utf8.h"
#include "custom/checks/numbers.h"

namespace proa::custom {
namespace choices {

// Go's conversion of an integer to a string.
std::string code_point(int64_t code) {
  std::string text;
  append_utf8(text, code < 0 || code > 0x10FFFF ? char32_t{0xFFFD} : static_cast<char32_t>(code));
  return text;
}

bool is_same(const json::Value& value, const json::Value& choice) {
  if (choice.is_null()) return false;
  if (value.is(json::Kind::kInt)) {
    if (choice.is(json::Kind::kDouble)) return value.as_double() == choice.as_double();
    if (choice.is(json::Kind::kString)) return choice.as_string() == code_point(value.as_int());
  }
  if (value.is(json::Kind::kDouble) && choice.is(json::Kind::kInt)) {
    return go_integer(value.as_double()) == choice.as_int();
  }
  return deep_equal(value, choice);
}

}  // namespace choices

bool is_choice(const json::Value& value, std::span<const json::Value> all) {
  return std::any_of(all.begin(), all.end(),
                     [&](const json::Value& choice) { return choices::is_same(value, choice); });
}

}  // namespace proa::custom
