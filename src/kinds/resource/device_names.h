#pragma once

#include <set>
#include <string>

#include "kinds/checks/fields.h"
#include "kinds/rules.h"

// Names of devices and their parts, and lists of named items.

namespace proa::kinds::devices {

// The name of a device, a request or a counter: a DNS label.
void validate_label_name(View name, const api::Path& path, api::FieldErrors& errors);
void validate_pool_name(View name, const api::Path& path, api::FieldErrors& errors);
// The name of an attribute or a capacity: "memory" or "example.com/memory".
void validate_qualified_name(std::string_view name, const api::Path& path,
                             api::FieldErrors& errors);
// The same with a required domain.
void validate_fully_qualified_name(View name, const api::Path& path, api::FieldErrors& errors);
void validate_share_id(View id, const api::Path& path, api::FieldErrors& errors);

// A list with a maximal length. Items of longer lists are not checked.
template <typename Check>
void validate_list(View list, size_t most, const api::Path& path, api::FieldErrors& errors,
                   Check check) {
  if (list.size() > most) return errors.too_many(path, list.size(), most);
  each(list, path, check);
}

// The same, and `key` must be unique among the items.
template <typename Check, typename Key>
void validate_distinct(View list, size_t most, const api::Path& path, api::FieldErrors& errors,
                       Check check, Key key) {
  if (list.size() > most) return errors.too_many(path, list.size(), most);
  each(list, path, check);
  std::set<std::string> seen;
  each(list, path, [&](View item, const api::Path& at) {
    std::string text(key(item));
    if (seen.contains(text)) errors.duplicate(at, text);
    seen.insert(std::move(text));
  });
}

inline std::string_view name_of(View item) { return item["name"].text(); }
inline std::string_view text_of(View item) { return item.text(); }

}  // namespace proa::kinds::devices
