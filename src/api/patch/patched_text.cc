#include "api/patch/patched_text.h"

#include <map>
#include <set>

#include "base/strings.h"
#include "json/cursor.h"
#include "json/parse.h"
#include "json/patch/pointer.h"
#include "json/print.h"

namespace proa::api {
namespace patched {

using json::Value;

// The members of an object in text, by key; the last of duplicates counts.
std::map<std::string, std::string_view> members_of(std::string_view object) {
  std::map<std::string, std::string_view> members;
  json::Cursor cursor(object);
  cursor.enter_object();
  while (cursor.next_member()) {
    const std::optional<std::string> key = json::unescape(cursor.key());
    members[key.value_or("")] = cursor.skip();
  }
  return members;
}

// Without white space, and with the characters that Go escapes.
void add_compact(std::string& out, std::string_view text) {
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!in_string && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) continue;
    if (c == '"') in_string = !in_string;
    if (c == '<' || c == '>' || c == '&') {
      out += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : "\\u0026";
      continue;
    }
    out += c;
    if (c == '\\' && i + 1 < text.size()) out += text[++i];
  }
}

void add_key(std::string& out, std::string_view key) {
  if (out.back() != '{') out += ',';
  json::print_string_to(out, key);
  out += ':';
}

// A value of the patch that takes the place of another: without nulls, keys sorted.
void add_new(std::string& out, std::string_view text) {
  if (text.front() == '{') {
    out += '{';
    for (const auto& [key, value] : members_of(text)) {
      if (value == "null") continue;
      add_key(out, key);
      add_new(out, value);
    }
    out += '}';
  } else if (text.front() == '[') {
    out += '[';
    json::Cursor cursor(text);
    cursor.enter_array();
    while (cursor.next_item()) {
      if (out.back() != '[') out += ',';
      add_new(out, cursor.skip());
    }
    out += ']';
  } else {
    add_compact(out, text);
  }
}

// REQUIRES: both are objects.
void add_merged(std::string& out, const Value& old, std::string_view patch) {
  const std::map<std::string, std::string_view> changes = members_of(patch);
  std::set<std::string_view> keys;
  for (const json::Member& member : old.members()) keys.insert(member.key);
  for (const auto& [key, value] : changes) keys.insert(key);
  out += '{';
  for (const std::string_view key : keys) {
    const Value* before = old.find(key);
    const auto change = changes.find(std::string(key));
    if (change == changes.end()) {
      add_key(out, key);
      json::print_to(out, *before);
      continue;
    }
    const std::string_view after = change->second;
    if (after == "null") continue;
    add_key(out, key);
    const bool object = before != nullptr && before->is(json::Kind::kObject);
    if (object && after.starts_with('{')) {
      add_merged(out, *before, after);
    } else if (object) {
      add_compact(out, after);
    } else {
      add_new(out, after);
    }
  }
  out += '}';
}

// The paths of the objects that a JSON patch enters.
std::set<std::string> entered_by(std::string_view patch) {
  std::set<std::string> entered = {""};
  const Result<json::Document> operations = json::parse(patch);
  if (!operations) return entered;
  for (const Value& operation : operations->root().items()) {
    for (const char* name : {"path", "from"}) {
      const Value* text = operation.find(name);
      if (text == nullptr || !text->is(json::Kind::kString)) continue;
      std::string path;
      const json::Pointer pointer = json::Pointer::parse(text->as_string());
      for (const std::string& token : pointer.tokens()) {
        entered.insert(path);
        path.append("/").append(token);
      }
    }
  }
  return entered;
}

void add_entered(std::string& out, const Value& value, const std::set<std::string>& entered,
                 const std::string& path) {
  if (!entered.contains(path) || value.size() == 0) return json::print_to(out, value);
  if (value.is(json::Kind::kArray)) {
    out += '[';
    size_t index = 0;
    for (const Value& item : value.items()) {
      if (index > 0) out += ',';
      add_entered(out, item, entered, path + "/" + std::to_string(index++));
    }
    out += ']';
    return;
  }
  std::map<std::string_view, const Value*> members;
  for (const json::Member& member : value.members()) members[member.key] = &member.value;
  out += '{';
  for (const auto& [key, member] : members) {
    add_key(out, key);
    add_entered(out, *member, entered, path + "/" + std::string(key));
  }
  out += '}';
}

}  // namespace patched

std::string patched_text(PatchType type, const json::Value& old, const json::Value& patched,
                         std::string_view patch) {
  // Reading a patch level by level takes time. Nobody reads that much.
  constexpr size_t kMostExact = size_t{64} << 10;
  if (patch.size() > kMostExact) return json::print(patched);
  std::string text;
  if (type == PatchType::kMerge) {
    patched::add_merged(text, old, trim(patch));
  } else {
    patched::add_entered(text, patched, patched::entered_by(patch), "");
  }
  return text;
}

}  // namespace proa::api
