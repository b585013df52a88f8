#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "api/apply/fields/element.h"
#include "json/arena.h"

namespace proa::api {

struct FieldNode;

// A set of paths to fields (upstream's fieldpath.Set), as a tree. Immutable: operations share the
// parts that do not change. A small value; the nodes lie in an arena, which outlives it, as do the
// documents that elements were taken from.
class FieldSet {
 public:
  FieldSet() = default;
  // REQUIRES: sorted by element, no element twice, and no node that holds nothing.
  FieldSet(const FieldNode* nodes, size_t count)
      : nodes_(nodes), count_(static_cast<uint32_t>(count)) {}

  std::span<const FieldNode> nodes() const;
  bool empty() const { return count_ == 0; }
  // The number of paths.
  size_t size() const;
  // Null if there is none.
  const FieldNode* find(const Element& element) const;
  bool has(std::span<const Element> path) const;
  bool contains(const FieldSet& other) const;
  bool operator==(const FieldSet& other) const;

  // Calls `visit` with each path, in upstream's order: those that end at a level before those that
  // go on.
  void for_each(const std::function<void(std::span<const Element>)>& visit) const;

 private:
  const FieldNode* nodes_ = nullptr;
  uint32_t count_ = 0;
};

// A path ends here (`member`), or goes on below, or both.
struct FieldNode {
  Element element;
  FieldSet below;
  bool member = false;
};

inline std::span<const FieldNode> FieldSet::nodes() const { return {nodes_, count_}; }

// ".spec.ports[port=80]"
std::string path_text(std::span<const Element> path);

// Makes sets in an arena. For one thread.
class FieldSetMaker {
 public:
  explicit FieldSetMaker(json::Arena& arena) : arena_(arena) {}

  json::Arena& arena() const { return arena_; }

  // A level is begun, nodes are added, and it ends with the set; levels nest.
  size_t begin() const { return pending_.size(); }
  // Nodes that hold nothing are left out.
  void add(const Element& element, bool member, FieldSet below = {}) {
    if (member || !below.empty()) pending_.push_back({element, below, member});
  }
  // REQUIRES: nodes were added in order.
  FieldSet end(size_t begin);
  // In any order; equal elements become one node.
  FieldSet end_unsorted(size_t begin);

  FieldSet unite(FieldSet one, FieldSet other);
  FieldSet intersect(FieldSet one, FieldSet other);
  // What is in `one` but not in `other`.
  FieldSet subtract(FieldSet one, FieldSet other);
  // The same, and without whatever is below the paths of `other`.
  FieldSet subtract_with_below(FieldSet one, FieldSet other);
  // The paths that no other path of the set continues.
  FieldSet leaves(FieldSet set);
  // A single path. REQUIRES: not empty.
  FieldSet single(std::span<const Element> path);

 private:
  json::Arena& arena_;
  std::vector<FieldNode> pending_;
};

}  // namespace proa::api
