#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace proa::custom {

// What paths may still cost: values that they pass, and texts that are made of what they find. Once
// it was too much, nothing is left. For one thread.
struct PathSteps {
  // Of one path, or of all cells of a row: no honest table comes near, and it takes milliseconds.
  static constexpr size_t kUsual = 1'000'000;

  size_t left = kUsual;

  bool take(size_t count) {
    const bool enough = count <= left;
    left = enough ? left - count : 0;
    return enough;
  }
};

// A JSONPath of a CustomResourceDefinition, as k8s.io/client-go/util/jsonpath understands it:
// fields, indexes, slices, unions, filters, wildcards, recursive descent, ranges. Immutable; shared
// by all threads.
class JsonPath {
 public:
  // ".spec.replicas", without the outer braces. Fails if it cannot be parsed.
  static Result<JsonPath> parse(std::string_view text);

  JsonPath(JsonPath&&) noexcept;
  JsonPath& operator=(JsonPath&&) noexcept;
  ~JsonPath();

  struct Found {
    const json::Value* value = nullptr;
    // A number that is none of JSON: a byte of a text, or an integer of the path itself.
    bool foreign = false;
  };
  // What it finds; missing fields are no error. They are parts of the object or of this path. Fails
  // where upstream does: an index beyond the end, a filter of what is no list; or if there are too
  // many. Of several actions ("{.a}{.b}", ranges), the results of the first.
  Result<std::vector<Found>> find(const json::Value& object) const;
  // The same, paid from `steps`; fails if they do not suffice. A path of plain fields walks along
  // itself only, and is free.
  Result<std::vector<Found>> find(const json::Value& object, PathSteps& steps) const;

  struct Node;

 private:
  JsonPath();
  std::vector<Found> walk(const json::Value& object) const;

  std::unique_ptr<json::Document> constants_;
  std::vector<Node> nodes_;
  bool plain_ = false;  // one action, of fields only: ".spec.replicas"
};

}  // namespace proa::custom
