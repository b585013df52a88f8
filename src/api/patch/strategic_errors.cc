#include "api/patch/strategic_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "json/print.h"

namespace proa::api {

namespace strategic_errors {

// A value in a message.
constexpr size_t kMaxText = 2048;

void append(std::string& out, const json::Value& value);

void append_object(std::string& out, const json::Value& value) {
  std::vector<const json::Member*> members;
  for (const json::Member& member : value.members()) members.push_back(&member);
  std::sort(members.begin(), members.end(),
            [](const json::Member* a, const json::Member* b) { return a->key < b->key; });
  out += "map[";
  for (const json::Member* member : members) {
    if (out.size() > kMaxText) break;
    if (member != members.front()) out += ' ';
    out += member->key;
    out += ':';
    append(out, member->value);
  }
  out += ']';
}

void append_array(std::string& out, const json::Value& value) {
  out += '[';
  for (const json::Value& item : value.items()) {
    if (out.size() > kMaxText) break;
    if (out.back() != '[') out += ' ';
    append(out, item);
  }
  out += ']';
}

void append(std::string& out, const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::kNull:
      out += "<nil>";
      return;
    case json::Kind::kString:
      out += value.as_string();
      return;
    case json::Kind::kArray:
      return append_array(out, value);
    case json::Kind::kObject:
      return append_object(out, value);
    default:
      json::print_to(out, value);
  }
}

std::string_view go_type(json::Kind kind) {
  switch (kind) {
    case json::Kind::kNull:
      return "%!s(<nil>)";
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
  return "";
}

}  // namespace strategic_errors

std::string go_value_text(const json::Value& value) {
  std::string out;
  strategic_errors::append(out, value);
  if (out.size() > strategic_errors::kMaxText) {
    out.resize(strategic_errors::kMaxText);
    out += "...";
  }
  return out;
}

Status bad_patch(std::string message) { return {Reason::kBadRequest, std::move(message)}; }

Status rejected_patch() {
  StatusDetails details;
  details.shown_if_empty = true;
  return Status(Reason::kInvalid, "the server rejected our request due to an error in our request")
      .with_details(std::move(details));
}

Status no_merge_key(const json::Value& item, std::string_view key) {
  return bad_patch(
      fmt::format("map: {} does not contain declared merge key: {}", go_value_text(item), key));
}

Status unknown_directive(const json::Value& directive, const json::Value& patch) {
  return bad_patch(fmt::format("unknown patch type: {} in map: {}", go_value_text(directive),
                               go_value_text(patch)));
}

Status wrong_kind(json::Kind expected, const json::Value& found) {
  return bad_patch(fmt::format("expected a {}, but received a {}",
                               strategic_errors::go_type(expected),
                               strategic_errors::go_type(found.kind())));
}

}  // namespace proa::api
