#include "api/apply/fields/merge.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace proa::api {
namespace merge {

using json::Kind;
using json::Member;
using json::Value;

constexpr size_t kNone = static_cast<size_t>(-1);
const Value kNull = Value();

bool is_empty(const Value* value, Kind kind) {
  return value == nullptr || !value->is(kind) || value->size() == 0;
}

// The items of a granular list, by position and by element.
class Items {
 public:
  Items(const Value* list, const Atom& atom, json::Arena& arena) {
    if (list == nullptr) return;
    for (const Value& item : list->items()) {
      const ItemElement found = item_element(atom, item, arena);
      if (!found.ok()) continue;
      elements_.push_back(found.element);
      values_.push_back(&item);
    }
    order_.resize(elements_.size());
    for (size_t i = 0; i < order_.size(); ++i) order_[i] = i;
    std::ranges::stable_sort(order_, {}, [&](size_t i) { return elements_[i]; });
  }

  size_t size() const { return elements_.size(); }
  const Element& element(size_t position) const { return elements_[position]; }
  const Value& value(size_t position) const { return *values_[position]; }

  // The first position of the element.
  size_t find(const Element& element) const {
    const auto found =
        std::ranges::lower_bound(order_, element, {}, [&](size_t i) { return elements_[i]; });
    return found != order_.end() && elements_[*found] == element ? *found : kNone;
  }
  // What another item is merged with: null for duplicates, which are not merged.
  const Value* unique(const Element& element) const {
    const auto found =
        std::ranges::lower_bound(order_, element, {}, [&](size_t i) { return elements_[i]; });
    if (found == order_.end() || elements_[*found] != element) return nullptr;
    const auto next = found + 1;
    const bool twice = next != order_.end() && elements_[*next] == element;
    return twice ? &kNull : values_[*found];
  }

 private:
  std::vector<Element> elements_;
  std::vector<const Value*> values_;
  std::vector<size_t> order_;
};

class Merger {
 public:
  explicit Merger(json::Arena& arena) : arena_(arena) {}

  // Nullopt if nothing is left. REQUIRES: at most one is null.
  std::optional<Value> merge(const Value* live, const Value* applied, Place place) {
    const Atom atom = place.resolve().fitting(applied == nullptr ? live : applied);
    const Kind kind = atom.map ? Kind::kObject : Kind::kArray;
    const bool scalar = !atom.map && (atom.scalar != Scalar::kNone || !atom.list);
    const bool atomic = atom.map ? atom.map_atomic : atom.list_atomic;
    if (scalar || atomic || (is_empty(live, kind) && is_empty(applied, kind)))
      return (applied == nullptr ? live : applied)->copy(arena_);
    return atom.map ? merge_maps(live, applied, atom) : merge_lists(live, applied, atom);
  }

 private:
  std::optional<Value> merge_maps(const Value* live, const Value* applied, const Atom& atom) {
    Value out = Value::object();
    const auto put = [&](std::string_view key, std::optional<Value> value) {
      if (value) out.set(arena_, key, std::move(*value));
    };
    FieldLookup fields(atom);
    if (live != nullptr) {
      for (const Member& member : live->members()) {
        const Value* other = applied == nullptr ? nullptr : applied->find(member.key);
        put(member.key, merge(&member.value, other, fields.place_of(member.key)));
      }
    }
    if (applied != nullptr) {
      for (const Member& member : applied->members()) {
        if (live != nullptr && live->find(member.key) != nullptr) continue;
        put(member.key, merge(nullptr, &member.value, atom.place_of(member.key)));
      }
    }
    if (out.size() == 0) return std::nullopt;
    return out;
  }

  // Positions in `right` of items that are in both.
  static std::vector<size_t> shared_items(const Items& left, const Items& right) {
    std::vector<size_t> shared;
    for (size_t i = 0; i < right.size(); ++i) {
      if (left.find(right.element(i)) != kNone) shared.push_back(i);
    }
    return shared;
  }

  // As upstream's visitListItems: walks both lists at once. Shared items are taken in the applied
  // order; live items stand in front of the shared item that they stood in front of.
  std::optional<Value> merge_lists(const Value* live, const Value* applied, const Atom& atom) {
    const Items left(live, atom, arena_);
    const Items right(applied, atom, arena_);
    const std::vector<size_t> shared = shared_items(left, right);
    std::vector<bool> merged(right.size());
    size_t next_shared = 0;
    Value out = Value::array();
    const auto push = [&](std::optional<Value> item) {
      if (item) out.push_back(arena_, std::move(*item));
    };
    const auto take_right = [&](size_t position) {
      merged[position] = true;
      push(merge(left.unique(right.element(position)), &right.value(position), atom.items));
    };
    for (size_t i = 0, j = 0; i < left.size() || j < right.size();) {
      const size_t twin = i < left.size() ? right.find(left.element(i)) : kNone;
      const bool both = i < left.size() && j < right.size();
      if (both && twin == j) {
        take_right(j);
        ++i;
        ++j;
        ++next_shared;
        continue;
      }
      // Shared, but not the next one in the applied order.
      if (both && twin != kNone && next_shared < shared.size() && shared[next_shared] != twin) {
        ++i;
        continue;
      }
      if (i < left.size() && twin == kNone) {
        push(merge(&left.value(i), nullptr, atom.items));
        ++i;
        continue;
      }
      if (i < left.size() && merged[twin]) ++i;
      if (j < right.size()) {
        take_right(j);
        if (next_shared < shared.size() && shared[next_shared] == j) ++next_shared;
        ++j;
      }
    }
    if (out.size() == 0) return std::nullopt;
    return out;
  }

  json::Arena& arena_;
};

}  // namespace merge

json::Value merge_fields(const json::Value& live, const json::Value& applied, Place place,
                         json::Arena& arena) {
  std::optional<json::Value> merged = merge::Merger(arena).merge(&live, &applied, place);
  return merged ? std::move(*merged) : json::Value();
}

}  // namespace proa::api
