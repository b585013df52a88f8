#include "api/apply/fields/field_set.h"

#include <algorithm>

namespace proa::api {
namespace field_set {

void visit_all(const FieldSet& set, std::vector<Element>& path,
               const std::function<void(std::span<const Element>)>& visit) {
  for (const FieldNode& node : set.nodes()) {
    if (!node.member) continue;
    path.push_back(node.element);
    visit(path);
    path.pop_back();
  }
  for (const FieldNode& node : set.nodes()) {
    if (node.below.empty()) continue;
    path.push_back(node.element);
    visit_all(node.below, path, visit);
    path.pop_back();
  }
}

// Steps through two sets in order: `one`, `other` or both are set.
class Zip {
 public:
  Zip(FieldSet first, FieldSet second) : left_(first.nodes()), right_(second.nodes()) { look(); }

  bool done() const { return one == nullptr && other == nullptr; }
  void next() {
    if (one != nullptr) left_ = left_.subspan(1);
    if (other != nullptr) right_ = right_.subspan(1);
    look();
  }

  const FieldNode* one = nullptr;
  const FieldNode* other = nullptr;

 private:
  void look() {
    one = left_.empty() ? nullptr : left_.data();
    other = right_.empty() ? nullptr : right_.data();
    if (one == nullptr || other == nullptr) return;
    const auto order = one->element <=> other->element;
    if (order < 0) other = nullptr;
    if (order > 0) one = nullptr;
  }

  std::span<const FieldNode> left_;
  std::span<const FieldNode> right_;
};

bool same(FieldSet one, FieldSet other) {
  return one.nodes().data() == other.nodes().data() && one.nodes().size() == other.nodes().size();
}

}  // namespace field_set

size_t FieldSet::size() const {
  size_t count = 0;
  for (const FieldNode& node : nodes()) count += (node.member ? 1 : 0) + node.below.size();
  return count;
}

const FieldNode* FieldSet::find(const Element& element) const {
  const auto all = nodes();
  const auto found = std::ranges::lower_bound(all, element, {}, &FieldNode::element);
  return found != all.end() && found->element == element ? &*found : nullptr;
}

bool FieldSet::has(std::span<const Element> path) const {
  if (path.empty()) return false;
  const FieldNode* node = find(path[0]);
  if (node == nullptr) return false;
  return path.size() == 1 ? node->member : node->below.has(path.subspan(1));
}

bool FieldSet::contains(const FieldSet& other) const {
  if (field_set::same(*this, other)) return true;
  for (field_set::Zip zip(*this, other); !zip.done(); zip.next()) {
    if (zip.other == nullptr) continue;
    if (zip.one == nullptr || (zip.other->member && !zip.one->member)) return false;
    if (!zip.one->below.contains(zip.other->below)) return false;
  }
  return true;
}

bool FieldSet::operator==(const FieldSet& other) const {
  if (field_set::same(*this, other)) return true;
  return std::ranges::equal(nodes(), other.nodes(), [](const FieldNode& a, const FieldNode& b) {
    return a.member == b.member && a.element == b.element && a.below == b.below;
  });
}

void FieldSet::for_each(const std::function<void(std::span<const Element>)>& visit) const {
  std::vector<Element> path;
  field_set::visit_all(*this, path, visit);
}

std::string path_text(std::span<const Element> path) {
  std::string text;
  for (const Element& element : path) element.append_to(text);
  return text;
}

FieldSet FieldSetMaker::end(size_t begin) {
  const std::span<const FieldNode> nodes = std::span(pending_).subspan(begin);
  if (nodes.empty()) return {};
  auto* place = static_cast<FieldNode*>(arena_.allocate(nodes.size_bytes(), alignof(FieldNode)));
  std::uninitialized_copy(nodes.begin(), nodes.end(), place);
  const size_t count = nodes.size();
  pending_.resize(begin, FieldNode{Element::index(0), {}, false});
  return {place, count};
}

FieldSet FieldSetMaker::end_unsorted(size_t begin) {
  const std::span<FieldNode> nodes = std::span(pending_).subspan(begin);
  const auto before = [](const FieldNode& a, const FieldNode& b) { return a.element < b.element; };
  if (!std::ranges::is_sorted(nodes, before)) std::ranges::stable_sort(nodes, before);
  const auto equal = [](const FieldNode& a, const FieldNode& b) { return a.element == b.element; };
  if (std::ranges::adjacent_find(nodes, equal) == nodes.end()) return end(begin);
  std::vector<FieldNode> merged;
  for (const FieldNode& node : std::vector<FieldNode>(nodes.begin(), nodes.end())) {
    if (merged.empty() || merged.back().element != node.element) {
      merged.push_back(node);
      continue;
    }
    merged.back().member |= node.member;
    merged.back().below = unite(merged.back().below, node.below);
  }
  std::ranges::copy(merged, pending_.begin() + static_cast<ptrdiff_t>(begin));
  pending_.resize(begin + merged.size(), FieldNode{Element::index(0), {}, false});
  return end(begin);
}

FieldSet FieldSetMaker::unite(FieldSet one, FieldSet other) {
  if (other.empty() || field_set::same(one, other)) return one;
  if (one.empty()) return other;
  const size_t level = begin();
  for (field_set::Zip zip(one, other); !zip.done(); zip.next()) {
    const FieldNode& node = zip.one != nullptr ? *zip.one : *zip.other;
    if (zip.one == nullptr || zip.other == nullptr) {
      add(node.element, node.member, node.below);
      continue;
    }
    const FieldSet below = unite(zip.one->below, zip.other->below);
    add(node.element, zip.one->member || zip.other->member, below);
  }
  return end(level);
}

FieldSet FieldSetMaker::intersect(FieldSet one, FieldSet other) {
  if (one.empty() || other.empty()) return {};
  if (field_set::same(one, other)) return one;
  const size_t level = begin();
  for (field_set::Zip zip(one, other); !zip.done(); zip.next()) {
    if (zip.one == nullptr || zip.other == nullptr) continue;
    const FieldSet below = intersect(zip.one->below, zip.other->below);
    add(zip.one->element, zip.one->member && zip.other->member, below);
  }
  return end(level);
}

FieldSet FieldSetMaker::subtract(FieldSet one, FieldSet other) {
  if (one.empty() || other.empty()) return one;
  const size_t level = begin();
  for (field_set::Zip zip(one, other); !zip.done(); zip.next()) {
    if (zip.one == nullptr) continue;
    if (zip.other == nullptr) {
      add(zip.one->element, zip.one->member, zip.one->below);
      continue;
    }
    const FieldSet below = subtract(zip.one->below, zip.other->below);
    add(zip.one->element, zip.one->member && !zip.other->member, below);
  }
  return end(level);
}

FieldSet FieldSetMaker::subtract_with_below(FieldSet one, FieldSet other) {
  if (one.empty() || other.empty()) return one;
  const size_t level = begin();
  for (field_set::Zip zip(one, other); !zip.done(); zip.next()) {
    if (zip.one == nullptr) continue;
    if (zip.other == nullptr) {
      add(zip.one->element, zip.one->member, zip.one->below);
    } else if (!zip.other->member) {
      const FieldSet below = subtract_with_below(zip.one->below, zip.other->below);
      add(zip.one->element, zip.one->member, below);
    }
  }
  return end(level);
}

FieldSet FieldSetMaker::leaves(FieldSet set) {
  const size_t level = begin();
  for (const FieldNode& node : set.nodes()) {
    const FieldSet below = leaves(node.below);
    add(node.element, node.member && node.below.empty(), below);
  }
  return end(level);
}

FieldSet FieldSetMaker::single(std::span<const Element> path) {
  const FieldSet below = path.size() == 1 ? FieldSet() : single(path.subspan(1));
  const size_t level = begin();
  add(path[0], path.size() == 1, below);
  return end(level);
}

}  // namespace proa::api
