#pragma once

#include <compare>
#include <functional>
#include <string>
#include <string_view>

// Ids that are texts, each of a type of its own, so that none stands where another is meant.

namespace proa::api {

template <typename Tag>
class Name {
 public:
  Name() = default;
  explicit Name(std::string_view text) : text_(text) {}
  explicit Name(std::string&& text) : text_(std::move(text)) {}
  explicit Name(const char* text) : text_(text) {}

  const std::string& str() const { return text_; }
  std::string_view view() const { return text_; }
  bool empty() const { return text_.empty(); }

  bool operator==(const Name&) const = default;
  auto operator<=>(const Name&) const = default;
  // For lookups and comparisons with what an object says.
  friend bool operator==(const Name& name, std::string_view text) { return name.text_ == text; }

 private:
  std::string text_;
};

using Uid = Name<struct UidTag>;            // metadata.uid
using NodeName = Name<struct NodeNameTag>;  // spec.nodeName, metadata.name of a Node

// Which pod, by the name that it has in its namespace. Another pod may get the same name later:
// what must not be mistaken for that one goes by Uid.
struct PodKey {
  std::string name_space;
  std::string name;

  std::string str() const { return name_space + "/" + name; }
  auto operator<=>(const PodKey&) const = default;
};

}  // namespace proa::api

template <typename Tag>
struct std::hash<proa::api::Name<Tag>> {
  size_t operator()(const proa::api::Name<Tag>& name) const {
    return std::hash<std::string_view>()(name.view());
  }
};

template <>
struct std::hash<proa::api::PodKey> {
  size_t operator()(const proa::api::PodKey& key) const {
    const std::hash<std::string_view> of_text;
    return of_text(key.name) * 31 + of_text(key.name_space);
  }
};
