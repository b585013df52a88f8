#include "api/apply/fields/remove.h"

namespace proa::api {
namespace remove {

using json::Kind;
using json::Value;

class Remover {
 public:
  explicit Remover(json::Arena& arena) : arena_(arena) {}

  Value remove(const Value& value, const FieldSet& set, Place place) {
    const Atom atom = place.resolve().fitting(&value);
    if (atom.map) return value.is(Kind::kObject) ? from_map(value, set, atom) : Value();
    if (atom.scalar != Scalar::kNone) return value.copy(arena_);
    if (atom.list && value.is(Kind::kArray)) return from_list(value, set, atom);
    return {};
  }

 private:
  Value from_map(const Value& value, const FieldSet& set, const Atom& atom) {
    Value out = Value::object();
    if (atom.map_atomic) return {};
    FieldLookup fields(atom);
    for (const json::Member& member : value.members()) {
      const FieldNode* node = set.find(Element::field(member.key));
      if (node != nullptr && node->member) continue;
      const bool whole = node == nullptr || node->below.empty();
      out.set(arena_, member.key,
              whole ? member.value.copy(arena_)
                    : remove(member.value, node->below, fields.place_of(member.key)));
    }
    return out.size() == 0 ? Value() : std::move(out);
  }

  Value from_list(const Value& value, const FieldSet& set, const Atom& atom) {
    if (atom.list_atomic) return {};
    Value out = Value::array();
    for (const Value& item : value.items()) {
      const ItemElement found = item_element(atom, item, arena_);
      const FieldNode* node = found.ok() ? set.find(found.element) : nullptr;
      if (node != nullptr && node->member) continue;
      const bool whole = node == nullptr || node->below.empty();
      out.push_back(arena_, whole ? item.copy(arena_) : remove(item, node->below, atom.items));
    }
    return out.size() == 0 ? Value() : std::move(out);
  }

  json::Arena& arena_;
};

}  // namespace remove

json::Value remove_fields(const json::Value& value, const FieldSet& set, Place place,
                          json::Arena& arena) {
  return remove::Remover(arena).remove(value, set, place);
}

}  // namespace proa::api
