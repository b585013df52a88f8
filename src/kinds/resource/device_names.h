#pragma once

#include <set>
#include <string>

#include "kinds/checks/fields.h"
#include "kinds/rules.h"

// Names that devices and their parts have, and lists of things that have names.

namespace proa::kinds::devices {

// Of a device, a request, a counter: a DNS label.
void validate_label_name(View name, const api::Path& path, api::FieldErrors& errors);
void validate_pool_name(View name, const api::Path& path, api::FieldErrors& errors);
// "memory" or "example.com/memory", as attributes and capacities are called.
void validate_qualified_name(std::string_view name, const api::Path& path,
                             api::FieldErrors& errors);
// The same with the domain.
void validate_fully_qualified_name(View name, const api::Path& path, api::FieldErrors& errors);
void validate_share_id(View id, const api::Path& path, api::FieldErrors& errors);

// A list that may not be longer than that; longer ones are not looked at.
template <typename Check>
void validate_list(View list, size_t most, const api::Path& path, api::FieldErrors& errors,
                   Check check) {
  if (list.size() > most) return errors.too_many(path, list.size(), most);
  each(list, path, check);
}

// The same where items differ in what `key` says of them.
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
