#include "api/patch/element_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "api/patch/strategic_errors.h"
#include "json/print.h"

namespace proa::api {

namespace element_index {

constexpr size_t kUnknown = std::numeric_limits<size_t>::max();

// The text that stands for a key: strings are themselves, everything else has a NUL in front.
std::string_view key_text(const json::Value& key, std::string& buffer) {
  const bool string = key.is(json::Kind::kString);
  if (string && !key.as_string().starts_with('\0')) return key.as_string();
  buffer = '\0';
  buffer += static_cast<char>(key.kind());
  if (string) {
    buffer += key.as_string();
  } else {
    json::print_to(buffer, key);
  }
  return buffer;
}

// An element being moved to its position.
struct Placed {
  json::Value value;
  size_t wanted = kUnknown;
  size_t server = kUnknown;
};

std::vector<Placed> place(std::vector<json::Value> elements, const ElementIndex& wanted,
                          const ElementIndex& server, size_t known) {
  std::vector<Placed> placed;
  placed.reserve(elements.size());
  for (json::Value& element : elements) {
    const size_t in_wanted = wanted.find(element).value_or(kUnknown);
    const size_t in_server = server.find(element).value_or(kUnknown);
    placed.push_back({std::move(element), in_wanted, in_server < known ? in_server : kUnknown});
  }
  return placed;
}

}  // namespace element_index

Result<const json::Value*> ElementIndex::key_of(const json::Value& element) const {
  if (merge_key_.empty()) {
    if (element.is(json::Kind::kObject) || element.is(json::Kind::kArray) || element.is_null())
      return wrong_kind(json::Kind::kString, element);
    return &element;
  }
  if (!element.is(json::Kind::kObject)) return wrong_kind(json::Kind::kObject, element);
  const json::Value* key = element.find(merge_key_);
  if (key == nullptr || key->is_null() || key->is(json::Kind::kObject) ||
      key->is(json::Kind::kArray)) {
    return no_merge_key(element, merge_key_);
  }
  return key;
}

Result<void> ElementIndex::add(const json::Value& element, size_t position) {
  const json::Value* key = TRY(key_of(element));
  std::string buffer;
  std::string_view text = element_index::key_text(*key, buffer);
  if (positions_.root().find(text) != nullptr) return {};
  if (text.data() == buffer.data()) text = positions_.arena().copy(text);
  positions_.root().set_borrowed(positions_.arena(), text,
                                 json::Value::integer(static_cast<int64_t>(position)));
  return {};
}

Result<void> ElementIndex::add_all(std::span<const json::Value> elements) {
  for (size_t i = 0; i < elements.size(); ++i) TRY(add(elements[i], i));
  return {};
}

std::optional<size_t> ElementIndex::find(const json::Value& element) const {
  const auto key = key_of(element);
  std::string buffer;
  const json::Value* found = positions_.root().find(element_index::key_text(**key, buffer));
  if (found == nullptr) return std::nullopt;
  return static_cast<size_t>(found->as_int());
}

std::vector<json::Value> order_elements(std::vector<json::Value> elements,
                                        const ElementIndex& wanted, const ElementIndex& server,
                                        size_t known) {
  using element_index::kUnknown;
  using element_index::Placed;
  std::vector<Placed> placed = element_index::place(std::move(elements), wanted, server, known);
  const auto others = std::stable_partition(
      placed.begin(), placed.end(), [](const Placed& each) { return each.wanted != kUnknown; });
  std::stable_sort(placed.begin(), others,
                   [](const Placed& a, const Placed& b) { return a.wanted < b.wanted; });
  std::stable_sort(others, placed.end(),
                   [](const Placed& a, const Placed& b) { return a.server < b.server; });

  std::vector<json::Value> ordered;
  ordered.reserve(placed.size());
  auto first = placed.begin();
  auto second = others;
  while (first != others || second != placed.end()) {
    bool take_second = first == others;
    if (!take_second && second != placed.end())
      take_second = first->server != kUnknown && second->server < first->server;
    ordered.push_back(std::move((take_second ? second++ : first++)->value));
  }
  return ordered;
}

}  // namespace proa::api
