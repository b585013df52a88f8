#include "api/apply/fields/compare.h"

#include <algorithm>
#include <vector>

#include "base/strings.h"

namespace proa::api {
namespace compare {

using json::Kind;
using json::Member;
using json::Value;

// What changed at a path and below it.
struct Change {
  bool added = false;
  bool modified = false;
  bool removed = false;
  Comparison below;
};

struct Marks {
  size_t added;
  size_t modified;
  size_t removed;
};

// Fields that only one of two values has, between two that both have.
constexpr size_t kLikelySkipped = 3;

bool is_empty(const Value* value, Kind kind) {
  return value == nullptr || !value->is(kind) || value->size() == 0;
}

class Walker {
 public:
  Walker(json::Arena& arena, NotCompared except)
      : except_(except), added_(arena), modified_(arena), removed_(arena) {}

  // REQUIRES: at most one is null.
  Change walk(const Value* before, const Value* after, Place place) {
    const Atom atom = place.resolve();
    Change change;
    if (before == nullptr || after == nullptr) {
      const bool leaf =
          walk_as(before, after, atom.fitting(before == nullptr ? after : before), change);
      if (!leaf) (before == nullptr ? change.added : change.removed) = true;
      return change;
    }
    const Atom left = atom.fitting(before);
    const Atom right = atom.fitting(after);
    // A value that changes its kind is compared as both.
    if (!left.same_kinds(right)) walk_as(before, after, left, change);
    walk_as(before, after, right, change);
    return change;
  }

  // Whether every item of a granular list had keys or a value.
  bool valid() const { return valid_; }

 private:
  // Whether it is a leaf.
  bool walk_as(const Value* before, const Value* after, const Atom& atom, Change& change) {
    const Kind kind = atom.map ? Kind::kObject : Kind::kArray;
    const bool scalar = !atom.map && (atom.scalar != Scalar::kNone || !atom.list);
    const bool atomic = atom.map ? atom.map_atomic : atom.list_atomic;
    // Two empty ones are a leaf, so that null differs from empty.
    if (scalar || atomic || (is_empty(before, kind) && is_empty(after, kind))) {
      mark_leaf(before, after, change);
      return true;
    }
    const Marks marks{added_.begin(), modified_.begin(), removed_.begin()};
    if (atom.map) {
      walk_map(before, after, atom);
    } else {
      walk_list(before, after, atom);
    }
    const Comparison below{.added = added_.end_unsorted(marks.added),
                           .modified = modified_.end_unsorted(marks.modified),
                           .removed = removed_.end_unsorted(marks.removed)};
    change.below = {.added = added_.unite(change.below.added, below.added),
                    .modified = modified_.unite(change.below.modified, below.modified),
                    .removed = removed_.unite(change.below.removed, below.removed)};
    return false;
  }

  static void mark_leaf(const Value* before, const Value* after, Change& change) {
    if (before == nullptr) {
      change.added = true;
    } else if (after == nullptr) {
      change.removed = true;
    } else if (!(*before == *after)) {
      change.modified = true;
    }
  }

  void record(const Element& element, const Change& change) {
    added_.add(element, change.added, change.below.added);
    modified_.add(element, change.modified, change.below.modified);
    removed_.add(element, change.removed, change.below.removed);
  }

  void walk_map(const Value* before, const Value* after, const Atom& atom) {
    const std::span<const Member> left =
        before == nullptr ? std::span<const Member>() : before->members();
    const std::span<const Member> right =
        after == nullptr ? std::span<const Member>() : after->members();
    // Both are mostly in the same order.
    size_t guess = 0;
    FieldLookup fields(atom);
    for (size_t i = 0; i < left.size(); ++i) {
      if (&left[i].value == except_.before) continue;
      const Value* other = nullptr;
      for (size_t j = guess; j < right.size() && j < guess + kLikelySkipped; ++j) {
        if (!same_text(right[j].key, left[i].key)) continue;
        other = &right[j].value;
        guess = j + 1;
        break;
      }
      if (other == nullptr && after != nullptr) other = after->find(left[i].key);
      // Most of an object stays the same, and equality is much cheaper than the rules of types.
      if (other != nullptr && left[i].value == *other) continue;
      record(Element::field(left[i].key),
             walk(&left[i].value, other, fields.place_of(left[i].key)));
    }
    for (size_t i = 0; i < right.size(); ++i) {
      if (&right[i].value == except_.after) continue;
      if (i < left.size() && same_text(left[i].key, right[i].key)) continue;
      if (before != nullptr && before->find(right[i].key) != nullptr) continue;
      record(Element::field(right[i].key),
             walk(nullptr, &right[i].value, atom.place_of(right[i].key)));
    }
  }

  void walk_list(const Value* before, const Value* after, const Atom& atom) {
    std::vector<std::pair<Element, const Value*>> left = indexed(before, atom);
    std::vector<std::pair<Element, const Value*>> right = indexed(after, atom);
    size_t i = 0;
    size_t j = 0;
    while (i < left.size() || j < right.size()) {
      const bool has_left =
          i < left.size() && (j == right.size() || left[i].first <= right[j].first);
      const bool has_right =
          j < right.size() && (i == left.size() || right[j].first <= left[i].first);
      const Element element = has_left ? left[i].first : right[j].first;
      const auto group_end = [&](const auto& items, size_t from) {
        while (from < items.size() && items[from].first == element) ++from;
        return from;
      };
      const size_t left_end = has_left ? group_end(left, i) : i;
      const size_t right_end = has_right ? group_end(right, j) : j;
      record(element, walk_group(std::span(left).subspan(i, left_end - i),
                                 std::span(right).subspan(j, right_end - j), atom.items));
      i = left_end;
      j = right_end;
    }
  }

  using Items = std::span<const std::pair<Element, const Value*>>;

  Change walk_group(Items left, Items right, Place place) {
    if (left.size() == 1 && right.size() == 1 && *left[0].second == *right[0].second) return {};
    if (left.size() <= 1 && right.size() <= 1) {
      return walk(left.empty() ? nullptr : left[0].second,
                  right.empty() ? nullptr : right[0].second, place);
    }
    Change change;
    if (left.size() > 1 && right.size() > 1) {
      change.modified = !std::ranges::equal(
          left, right, [](const auto& a, const auto& b) { return *a.second == *b.second; });
    } else if (left.size() > 1) {
      if (!right.empty()) change = walk(nullptr, right[0].second, place);
      change.removed = true;
    } else {
      if (!left.empty()) change = walk(left[0].second, nullptr, place);
      change.added = true;
    }
    return change;
  }

  std::vector<std::pair<Element, const Value*>> indexed(const Value* list, const Atom& atom) {
    std::vector<std::pair<Element, const Value*>> items;
    if (list == nullptr) return items;
    items.reserve(list->items().size());
    for (const Value& item : list->items()) {
      const ItemElement found = item_element(atom, item, added_.arena());
      valid_ &= found.ok();
      if (found.ok()) items.emplace_back(found.element, &item);
    }
    std::ranges::stable_sort(items, {}, [](const auto& item) { return item.first; });
    return items;
  }

  const NotCompared except_;
  bool valid_ = true;
  FieldSetMaker added_;
  FieldSetMaker modified_;
  FieldSetMaker removed_;
};

}  // namespace compare

Comparison compare_fields(const json::Value& before, const json::Value& after, Place place,
                          json::Arena& arena, NotCompared except) {
  compare::Walker walker(arena, except);
  Comparison found = walker.walk(&before, &after, place).below;
  found.valid = walker.valid();
  return found;
}

}  // namespace proa::api
