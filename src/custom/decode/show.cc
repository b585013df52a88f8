#include "custom/decode/show.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "api/validation/go_text.h"
#include "json/print.h"

namespace proa::custom {
namespace show {

// Go's %v: an exponent below -4, or of 6 and more, is written.
constexpr int kLeastExponent = -4;
constexpr int kMostExponent = 6;

std::vector<const json::Member*> sorted_members(const json::Value& object) {
  std::vector<const json::Member*> members;
  for (const json::Member& member : object.members()) members.push_back(&member);
  std::sort(members.begin(), members.end(),
            [](const json::Member* a, const json::Member* b) { return a->key < b->key; });
  return members;
}

void append_go_value(std::string& out, const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::kNull:
      out += "<nil>";
      return;
    case json::Kind::kString:
      out += value.as_string();
      return;
    case json::Kind::kArray:
      out += '[';
      for (const json::Value& item : value.items()) {
        if (&item != value.items().data()) out += ' ';
        append_go_value(out, item);
      }
      out += ']';
      return;
    case json::Kind::kObject: {
      out += "map[";
      const std::vector<const json::Member*> members = sorted_members(value);
      for (const json::Member* member : members) {
        if (member != members.front()) out += ' ';
        out += member->key;
        out += ':';
        append_go_value(out, member->value);
      }
      out += ']';
      return;
    }
    default:
      out += shown(value);
  }
}

void append_sorted(std::string& out, const json::Value& value) {
  if (value.is(json::Kind::kArray)) {
    out += '[';
    for (const json::Value& item : value.items()) {
      if (&item != value.items().data()) out += ',';
      append_sorted(out, item);
    }
    out += ']';
    return;
  }
  if (!value.is(json::Kind::kObject)) return json::print_to(out, value);
  const std::vector<const json::Member*> members = sorted_members(value);
  out += '{';
  for (const json::Member* member : members) {
    if (member != members.front()) out += ',';
    json::print_string_to(out, member->key);
    out += ':';
    append_sorted(out, member->value);
  }
  out += '}';
}

}  // namespace show

std::string go_number(double number) {
  std::array<char, 400> buffer;
  const auto scientific = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                        std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<size_t>(scientific.ptr - buffer.data()));
  const size_t mark = text.find('e');
  int exponent = 0;
  const size_t digits = mark + (text[mark + 1] == '+' ? 2 : 1);
  std::from_chars(text.data() + digits, text.data() + text.size(), exponent);
  if (exponent < show::kLeastExponent || exponent >= show::kMostExponent) return std::string(text);
  const auto fixed =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed);
  return {buffer.data(), static_cast<size_t>(fixed.ptr - buffer.data())};
}

std::string sorted_json(const json::Value& value) {
  std::string out;
  show::append_sorted(out, value);
  return out;
}

std::string shown(const json::Value& value) {
  if (value.is(json::Kind::kString)) return api::quoted(value.as_string());
  if (value.is(json::Kind::kDouble)) return go_number(value.as_double());
  return sorted_json(value);
}

std::string go_value(const json::Value& value) {
  std::string out;
  show::append_go_value(out, value);
  return out;
}

std::string_view go_type_name(const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::kNull:
      return "<nil>";
    case json::Kind::kBool:
      return "bool";
    case json::Kind::kInt:
      return "int64";
    case json::Kind::kDouble:
      return "float64";
    case json::Kind::kString:
      return "string";
    case json::Kind::kArray:
      return "[]interface {}";
    case json::Kind::kObject:
      return "map[string]interface {}";
  }
  return {};
}

}  // namespace proa::custom
