#include "api/apply/fields/owned.h"

#include <algorithm>

namespace proa::api {
namespace owned {

using json::Kind;
using json::Value;

struct Found {
  bool member = false;
  FieldSet below;
};

class Walker {
 public:
  explicit Walker(json::Arena& arena) : make_(arena) {}

  Found walk(const Value& value, Place place) {
    const Atom atom = place.resolve().fitting(&value);
    if (atom.map) return walk_map(value, atom);
    if (atom.scalar != Scalar::kNone) return {.member = true, .below = {}};
    if (atom.list) return walk_list(value, atom);
    return {};
  }

 private:
  Found walk_map(const Value& value, const Atom& atom) {
    if (atom.map_atomic) return {.member = true, .below = {}};
    const size_t begin = make_.begin();
    FieldLookup fields(atom);
    for (const json::Member& member : value.members()) {
      const Place named = fields.find(member.key);
      Found found = walk(member.value, named.declared() ? named : atom.values);
      const Value& child = member.value;
      if (child.is_null() || (child.is(Kind::kObject) && child.size() == 0) || !named.declared())
        found.member = true;
      make_.add(Element::field(member.key), found.member, found.below);
    }
    return {.member = false, .below = make_.end_unsorted(begin)};
  }

  Found walk_list(const Value& value, const Atom& atom) {
    if (atom.list_atomic) return {.member = true, .below = {}};
    std::vector<std::pair<Element, const Value*>> items;
    items.reserve(value.items().size());
    for (const Value& item : value.items()) {
      ItemElement found = item_element(atom, item, make_.arena());
      if (found.ok()) items.emplace_back(found.element, &item);
    }
    std::ranges::stable_sort(items, {}, [](const auto& item) { return item.first; });
    const size_t begin = make_.begin();
    for (size_t i = 0; i < items.size();) {
      size_t next = i + 1;
      while (next < items.size() && items[next].first == items[i].first) ++next;
      // Of duplicates only the item itself is owned.
      const FieldSet below = next == i + 1 ? walk(*items[i].second, atom.items).below : FieldSet();
      make_.add(items[i].first, true, below);
      i = next;
    }
    return {.member = false, .below = make_.end(begin)};
  }

  FieldSetMaker make_;
};

class Namer {
 public:
  explicit Namer(json::Arena& arena) : make_(arena) {}

  FieldSet name(FieldSet set, Place place) {
    if (set.empty()) return set;
    const Atom atom = place.resolve();
    const size_t begin = make_.begin();
    for (const FieldNode& node : set.nodes()) {
      Place below;
      bool named = false;
      if (node.element.kind() == Element::Kind::kField && atom.map) {
        const Place field = atom.find(node.element.name());
        named = field.declared() && !node.below.empty();
        below = field.declared() ? field : atom.values;
      } else if (node.element.kind() == Element::Kind::kKey && atom.list) {
        below = atom.items;
      }
      const FieldSet children = name(node.below, below);
      make_.add(node.element, node.member || named, children);
    }
    return make_.end(begin);
  }

 private:
  FieldSetMaker make_;
};

class Reconciler {
 public:
  explicit Reconciler(json::Arena& arena) : make_(arena) {}

  FieldSet reconcile(FieldSet set, const Atom& atom) {
    const size_t begin = make_.begin();
    bool changed = false;
    for (const FieldNode& node : set.nodes()) {
      FieldNode next = node;
      const Place place = below(atom, node.element);
      if (!node.below.empty() && place.declared()) {
        const Atom child = place.resolve();
        if (is_whole(child)) {
          next.member = true;
          next.below = {};
        } else if (!is_opaque(child)) {
          next.below = reconcile(node.below, child);
        }
      }
      changed |= next.below.nodes().data() != node.below.nodes().data();
      make_.add(next.element, next.member, next.below);
    }
    const FieldSet made = make_.end(begin);
    return changed ? made : set;
  }

 private:
  static Place below(const Atom& atom, const Element& element) {
    if (!atom.map) return atom.list ? atom.items : Place();
    return element.kind() == Element::Kind::kField ? atom.place_of(element.name()) : atom.values;
  }
  static bool is_whole(const Atom& atom) {
    if (atom.map) return atom.map_atomic && !is_opaque(atom);
    return atom.scalar == Scalar::kNone && atom.list && atom.list_atomic;
  }
  // Scalars, and maps of anything, stay as they are.
  static bool is_opaque(const Atom& atom) {
    if (atom.map) return atom.values.is_deduced() && !atom.has_fields();
    return atom.scalar != Scalar::kNone;
  }

  FieldSetMaker make_;
};

}  // namespace owned

FieldSet owned_fields(const json::Value& value, Place place, json::Arena& arena) {
  return owned::Walker(arena).walk(value, place).below;
}

FieldSet with_named_fields(FieldSet set, Place place, json::Arena& arena) {
  return owned::Namer(arena).name(set, place);
}

FieldSet reconcile_fields(FieldSet set, Place place, json::Arena& arena) {
  return owned::Reconciler(arena).reconcile(set, place.resolve());
}

}  // namespace proa::api
