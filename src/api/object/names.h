#pragma once

#include <compare>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

// Ids that are texts, each of a type of its own, so that none is passed where another is meant.

namespace proa::api {

template <typename Tag>
class Name;

// A name in a text that outlives the view: for parameters, and for keys that point into an object.
template <typename Tag>
class NameView {
 public:
  constexpr NameView() = default;
  constexpr explicit NameView(std::string_view text) : text_(text) {}
  NameView(const Name<Tag>& name) : text_(name.view()) {}  // NOLINT: made to convert

  constexpr std::string_view view() const { return text_; }
  std::string str() const { return std::string(text_); }
  constexpr bool empty() const { return text_.empty(); }

  bool operator==(const NameView&) const = default;
  auto operator<=>(const NameView&) const = default;
  friend bool operator==(NameView name, std::string_view text) { return name.text_ == text; }

 private:
  std::string_view text_;
};

template <typename Tag>
class Name {
 public:
  Name() = default;
  explicit Name(NameView<Tag> view) : text_(view.view()) {}
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
using UidView = NameView<UidTag>;
using NodeNameView = NameView<NodeNameTag>;

// For hash maps with names as keys: lookups by a view do not copy it.
struct NameHash {
  using is_transparent = void;
  template <typename Tag>
  size_t operator()(const Name<Tag>& name) const {
    return std::hash<std::string_view>()(name.view());
  }
  template <typename Tag>
  size_t operator()(NameView<Tag> name) const {
    return std::hash<std::string_view>()(name.view());
  }
};

// A pod's namespace and name. A later pod may have the same key but not the same Uid.
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

template <typename Tag>
struct std::hash<proa::api::NameView<Tag>> {
  size_t operator()(proa::api::NameView<Tag> name) const {
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
